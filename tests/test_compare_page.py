"""The page of a comparison in Chromium: tables sort, plots draw the numbers, and nothing leaves it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from browser import browser  # noqa: F401  (a fixture)
from compare_data import real_logs
from compare_report import DIFFERENCES, EVIL, GAP, MODELS, VERDICTS, report

from utb_inspect.compare.build import build_report
from utb_inspect.compare.formats.addresses import with_view
from utb_inspect.compare.formats.html import html_text
from utb_inspect.compare.reading import read_runs
from utb_inspect.compare.report import Plot, Report, Section

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

DRAWN = "document.querySelectorAll('.plot svg').length === document.querySelectorAll('.plot').length"


@dataclass
class Seen:
    """What a page did beside being shown."""

    requests: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("page") / "compare.html"
    file.write_text(html_text(with_view(report(), "http://127.0.0.1:7575/")), encoding="utf-8")
    return file.as_uri()


@pytest.fixture(scope="module", autouse=True)
def real_address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page over runs of offline models. Used by all, so that the runs are made before the browser opens."""
    logs = real_logs(tmp_path_factory)
    file = tmp_path_factory.mktemp("real") / "compare.html"
    file.write_text(html_text(build_report(read_runs([logs["main"], logs["dynamic"]]))), encoding="utf-8")
    return file.as_uri()


def opened(browser: Browser, address: str, seen: Seen | None = None, **options: Any) -> Page:  # noqa: F811
    seen = seen or Seen()
    page = browser.new_context(reduced_motion="reduce", **options).new_page()
    page.on("request", lambda request: seen.requests.append(request.url))
    page.on("console", lambda message: seen.told.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: seen.told.append(f"error: {error}"))
    page.goto(address)
    if options.get("java_script_enabled", True):
        page.wait_for_function(DRAWN)
    return page


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:  # noqa: F811
    """The page, on which nothing goes wrong whatever a test does."""
    seen = Seen()
    page = opened(browser, address, seen, viewport={"width": 1300, "height": 900})
    yield page
    page.context.close()
    assert seen.requests == [address]
    assert seen.told == []


def table_of(page: Page, title: str) -> Locator:
    return page.locator("table", has=page.get_by_role("heading", name=title, exact=True))


def column(table: Locator, number: int) -> list[str]:
    found: list[str] = table.evaluate(
        "(table, number) => [...table.tBodies[0].rows].map((row) => row.cells[number].innerText)", number
    )
    return found


def figure_of(page: Page, title: str) -> Locator:
    return page.locator("figure", has=page.get_by_text(title, exact=True))


# --- tables ----------------------------------------------------------------------------------------------------


def test_tables_sort_by_click(page: Page) -> None:
    table = table_of(page, "Exact accuracy (%)")
    heading = table.get_by_role("columnheader", name="Average", exact=True)
    as_it_came = column(table, 0)
    assert as_it_came == MODELS
    assert heading.get_attribute("aria-sort") == "none"
    orders = {
        "descending": ["utb/oracle", "lab/model-b", "lab/model-a", "utb/recall"],
        "ascending": ["utb/recall", "lab/model-a", "lab/model-b", "utb/oracle"],
        "none": as_it_came,
    }
    for turn, order in orders.items():
        heading.get_by_role("button").click()
        assert heading.get_attribute("aria-sort") == turn
        assert column(table, 0) == order


def test_tables_sort_by_key(page: Page) -> None:
    table = table_of(page, "Exact accuracy (%)")
    heading = table.get_by_role("columnheader", name="Model", exact=True)
    heading.get_by_role("button").focus()
    page.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "ascending"
    assert column(table, 0) == ["lab/model-a", "lab/model-b", "utb/oracle", "utb/recall"]
    page.keyboard.press("Space")
    assert heading.get_attribute("aria-sort") == "descending"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert table.get_by_role("columnheader", name="ST", exact=True).get_attribute("aria-sort") == "descending"
    assert heading.get_attribute("aria-sort") == "none"


def test_what_is_missing_stays_last(page: Page) -> None:
    table = table_of(page, "Exact accuracy (%)")
    button = table.get_by_role("columnheader", name="LOI", exact=True).get_by_role("button")
    for _ in range(2):
        button.click()
        assert column(table, 3)[-1] == ""
    table = table_of(page, "Cost and time")
    button = table.get_by_role("columnheader", name="Cost a sample (USD)", exact=True).get_by_role("button")
    button.click()
    assert column(table, 2) == ["0.0312", "<0.0001", "", ""]
    button.click()
    assert column(table, 2) == ["<0.0001", "0.0312", "", ""]


def test_numbers_sort_as_numbers(page: Page) -> None:
    table = table_of(page, "Cost and time")
    button = table.get_by_role("columnheader", name="Tokens", exact=True).get_by_role("button")
    button.click()
    assert column(table, 3) == ["1,234,567", "890", "0", ""]
    table = table_of(page, "Pairs, exact")
    button = table.get_by_role("columnheader", name="First minus second (points)", exact=True).get_by_role("button")
    button.click()
    button.click()
    assert [text.split()[0] for text in column(table, 3)] == ["\u22122.10", "+15.56"]


def test_headings_stay_in_sight(browser: Browser, address: str) -> None:  # noqa: F811
    page = opened(browser, address, viewport={"width": 600, "height": 400})
    region = page.get_by_role("region", name="Exact accuracy (%)")
    region.scroll_into_view_if_needed()
    moved = region.evaluate("(region) => { region.scrollTo(200, 100); return [region.scrollLeft, region.scrollTop]; }")
    assert moved[0] > 100
    head, first, box = (
        locator.bounding_box() or {} for locator in (region.locator("thead"), region.locator("tbody th").first, region)
    )
    assert head["y"] >= box["y"] - 1
    assert first["x"] == pytest.approx(box["x"], abs=2)
    page.context.close()


def test_tables_are_told_to_those_who_do_not_see_them(page: Page) -> None:
    for table in page.locator("table").all():
        assert table.locator("caption").inner_text() != ""
        assert table.locator("thead th:not([scope=col])").count() == 0
        assert table.locator("tbody tr > :first-child:not(th[scope=row])").count() == 0
        notes = page.locator(f"#{table.get_attribute('aria-describedby')}")
        assert notes.count() == 1
    assert page.get_by_role("heading", level=1).count() == 1
    for link in page.locator("nav a").all():
        assert page.locator(link.get_attribute("href") or "#none").count() == 1
    identifiers = page.evaluate("[...document.querySelectorAll('[id]')].map((element) => element.id)")
    assert len(identifiers) == len(set(identifiers))


def test_the_first_key_skips_to_the_content(page: Page) -> None:
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.innerText") == "Skip to the tables"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"


def test_every_control_shows_its_focus(page: Page) -> None:
    for _ in range(60):
        page.keyboard.press("Tab")
        name, style = page.evaluate(
            "[document.activeElement.tagName, getComputedStyle(document.activeElement).outlineStyle]"
        )
        assert name == "BODY" or style == "solid"


# --- plots -----------------------------------------------------------------------------------------------------


def widths(figure: Locator) -> list[float]:
    return [
        round(path.evaluate("(path) => path.getBBox().width"), 1)
        for path in figure.locator(".mark-rect.role-mark path").all()
    ]


def test_bars_are_as_long_as_the_numbers(page: Page) -> None:
    figure = figure_of(page, "Accuracy")
    # Exact 40, relaxed 80, exact 20; the fourth figure is missing, and no bar of length 0 stands for it.
    one, two, half = widths(figure)
    assert two == pytest.approx(2 * one, rel=0.01)
    assert half == pytest.approx(one / 2, rel=0.01)
    spans = [
        abs(line.evaluate("(line) => line.getBBox().width"))
        for line in figure.locator(".mark-rule.role-mark line").all()
    ]
    assert spans == pytest.approx([one / 2] * 3, rel=0.01)  # intervals of 20 points each


def test_each_plot_has_its_marks(page: Page) -> None:
    def marks(title: str, kind: str) -> int:
        return figure_of(page, title).locator(f".mark-{kind}.role-mark > *").count()

    assert marks("Exact against relaxed", "symbol") == 4
    assert marks("Exact against relaxed", "rule") == 6
    assert marks("Labels among failures", "rect") == 4
    assert figure_of(page, "Labels among failures").locator(".mark-text.role-mark").all_text_contents() == [
        "25.0050.0012.5075.00"
    ]
    assert marks("Exact by third", "symbol") == 3
    assert marks("Exact by length of history", "symbol") == 5
    assert marks("Cost against accuracy", "symbol") == 2


@pytest.mark.parametrize("width", [360, 1300])
def test_the_same_share_on_both_axes_lies_on_the_diagonal(browser: Browser, tmp_path: Path, width: int) -> None:  # noqa: F811
    """Exact 40 %, relaxed 60 %: the axes would go to 40 and 100, were each to go by its own figures."""
    values = {"exact": [0.1, 0.2, 0.4, 0.0], "relaxed": [0.1, 0.2, 0.6, 0.4]}
    bounds = {f"{key}_{end}": figures for key, figures in values.items() for end in ("low", "high")}
    table = replace(GAP, frame=GAP.frame.assign(**values, **bounds))
    plot = Plot("scatter", "Exact against relaxed", "gap", "exact", "relaxed", "model")
    file = tmp_path / "square.html"
    file.write_text(html_text(Report("", [Section("", tables=[table], plots=[plot])])), encoding="utf-8")
    page = opened(browser, file.as_uri(), viewport={"width": width, "height": 900})
    marks = "(path) => { const { e, f } = path.getScreenCTM(); return [e, f]; }"
    points = [
        path.evaluate(marks)
        for path in figure_of(page, "Exact against relaxed").locator(".mark-symbol.role-mark path").all()
    ]
    ends = figure_of(page, "Exact against relaxed").locator(".mark-line.role-mark path").bounding_box() or {}
    left, foot = ends["x"], ends["y"] + ends["height"]
    assert ends["width"] == pytest.approx(ends["height"], abs=1)
    for (x, y), exact, relaxed in zip(points, *values.values(), strict=True):
        assert (x - left) / ends["width"] == pytest.approx(exact, abs=0.01)
        assert (foot - y) / ends["height"] == pytest.approx(relaxed, abs=0.01)
    page.context.close()


def test_a_line_breaks_where_a_figure_is_missing(page: Page) -> None:
    lines = figure_of(page, "Exact by length of history").locator(".mark-line.role-mark path")
    drawn = {path.get_attribute("stroke"): path.get_attribute("d") or "" for path in lines.all()}
    assert sorted(path.count("L") for path in drawn.values()) == [0, 2]  # 0, 50, 100 for one; 0 and 100 for the other


def test_a_tooltip_has_the_tables_words(page: Page) -> None:
    figure_of(page, "Accuracy").locator(".mark-rect.role-mark path").first.hover()
    tooltip = page.locator("#vg-tooltip-element.visible")
    tooltip.wait_for()
    told = re.sub(r"\s+", " ", tooltip.inner_text())
    assert told == "Model lab/model-b Verdict Exact Average (%) 40.00 [30.00, 50.00]"


def test_a_legend_brings_out_a_series_by_key(page: Page) -> None:
    figure = figure_of(page, "Exact against relaxed")

    def opacities() -> list[str]:
        return [mark.get_attribute("opacity") or "1" for mark in figure.locator(".mark-symbol.role-mark path").all()]

    button = figure.get_by_role("button", name="lab/model-a")
    assert opacities() == ["1"] * 4
    button.focus()
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-pressed") == "true"
    page.wait_for_function("(mark) => mark.getAttribute('opacity') === '0.125'", arg=first_symbol(figure))
    assert opacities() == ["0.125", "0.125", "1", "0.125"]
    page.keyboard.press("Enter")
    page.wait_for_function("(mark) => mark.getAttribute('opacity') !== '0.125'", arg=first_symbol(figure))
    assert opacities() == ["1"] * 4
    assert button.get_attribute("aria-pressed") == "false"


def first_symbol(figure: Locator) -> Any:
    return figure.locator(".mark-symbol.role-mark path").first.element_handle()


def test_plots_are_named_and_lead_to_their_numbers(page: Page) -> None:
    figures = page.locator("figure")
    assert figures.count() == 6
    for figure in figures.all():
        plot = figure.locator("[role=img]")
        assert plot.get_attribute("aria-labelledby")
        described = page.locator(f"#{plot.get_attribute('aria-describedby')}")
        target = described.get_by_role("link").get_attribute("href") or "#none"
        assert page.locator(target).locator("table").count() == 1


def test_all_plots_of_real_runs_are_drawn(browser: Browser, real_address: str) -> None:  # noqa: F811
    page = opened(browser, real_address)
    titles = page.locator("figcaption").all_inner_texts()
    for title in ("Accuracy", "Exact against relaxed", "Labels among failures", "Exact by third"):
        assert titles.count(title) == 2  # a main and a dynamic split
    for plot in page.locator(".plot").all():
        assert plot.locator(".role-mark > *").count() > 1
        assert (plot.bounding_box() or {})["width"] > 200
    page.context.close()


# --- the page by itself ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("made", ["address", "real_address"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_asked_of_a_network_and_nothing_is_wrong(
    browser: Browser,  # noqa: F811
    request: pytest.FixtureRequest,
    made: str,
    scheme: Any,
) -> None:
    address = request.getfixturevalue(made)
    seen = Seen()
    page = opened(browser, address, seen, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('main button').forEach((button) => button.click())")
    page.locator("#theme").click()
    page.wait_for_timeout(200)
    assert (seen.requests, seen.told) == ([address], [])
    page.context.close()


ATTEMPTS = (
    "(place) => fetch(place).catch(() => null)",
    "(place) => { document.body.append(Object.assign(new Image(), { src: place })); }",
    "(place) => { document.body.append(Object.assign(document.createElement('iframe'), { src: place })); }",
    "() => { document.body.append(Object.assign(document.createElement('script'), { text: 'window.harmed = 1' })); }",
)


def test_the_policy_would_let_nothing_out(browser: Browser, address: str) -> None:  # noqa: F811
    """Not even if somebody got a script into the page: whatever asks, a server that waits for it hears nothing."""
    heard: list[str] = []

    class Listener(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append(self.path)

    seen = Seen()
    page = opened(browser, address, seen)
    with ThreadingHTTPServer(("127.0.0.1", 0), Listener) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        place = f"http://127.0.0.1:{server.server_port}/"
        for attempt in ATTEMPTS:
            page.evaluate(attempt, place)
        page.wait_for_timeout(300)
        server.shutdown()
    assert heard == []
    assert page.evaluate("window.harmed") is None
    assert len([line for line in seen.told if "Content Security Policy" in line]) >= 4
    page.context.close()
    policy = re.search(r'Content-Security-Policy" content="(.*?)"', html_text(report()))
    assert policy is not None
    assert "unsafe" not in policy[1]


def test_names_from_logs_stay_text(page: Page) -> None:
    names = column(table_of(page, DIFFERENCES.title), 1)
    assert names == list(EVIL.values())
    assert page.evaluate("window.harmed") is None
    assert page.locator("main img, main b, main script").count() == 0


def test_names_in_plots_stay_text(browser: Browser, tmp_path: Path) -> None:  # noqa: F811
    names = list(EVIL.values())[:4]
    gap = replace(GAP, title=names[0], frame=GAP.frame.assign(model=names))
    verdicts = replace(VERDICTS, frame=VERDICTS.frame.assign(model=names))
    plots = [
        Plot("scatter", names[1], "gap", "exact", "relaxed", "model"),
        Plot("bars", names[0], "verdicts", "model", "average", "verdict"),
    ]
    compared = Report(names[0], [Section(names[1], names, [gap, verdicts], plots)], names)
    file = tmp_path / "evil.html"
    file.write_text(html_text(compared), encoding="utf-8")
    seen = Seen()
    page = opened(browser, file.as_uri(), seen)
    for index in range(3):
        page.locator(".mark-symbol.role-mark path").nth(index).hover()
        page.locator("#vg-tooltip-element.visible").get_by_text(names[index]).wait_for()
    for button in page.locator(".legend button").all():
        button.click()
    assert page.title() == names[0]
    assert page.evaluate("window.harmed") is None
    assert page.locator(".plot svg text", has_text=names[0][:20]).count() == 1
    assert (seen.requests, seen.told) == ([file.as_uri()], [])
    page.context.close()


def test_links_go_to_inspect_view_alone(page: Page) -> None:
    links = table_of(page, DIFFERENCES.title).locator("td a")
    addresses = [link.get_attribute("href") for link in links.all()]
    assert addresses == [f"http://127.0.0.1:7575/#/logs/{n}.eval/samples/sample/p01/1/" for n in range(1, len(EVIL))]
    assert page.locator("a[href^=javascript]").count() == 0


def test_the_page_reads_without_scripts(browser: Browser, address: str) -> None:  # noqa: F811
    page = opened(browser, address, java_script_enabled=False)
    assert page.get_by_text("61.24 [58.24, 65.80]").count() >= 1
    assert page.locator("noscript p").is_visible()
    assert not page.locator("#theme").is_visible()
    page.context.close()


# --- light, dark, narrow, printed ------------------------------------------------------------------------------

BRIGHTNESS = """(pair) => {
  const [element, property] = pair;
  const [r, g, b] = getComputedStyle(element)[property].match(/[\\d.]+/g).map(Number);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}"""


def brightness(page: Page, selector: str, property_: str) -> float:
    """0 to 255."""
    found: float = page.evaluate(BRIGHTNESS, [page.locator(selector).first.element_handle(), property_])
    return found


def is_dark(page: Page) -> bool:
    """Whether the page is, with the text of plots along."""
    ground = brightness(page, "body", "backgroundColor")
    text = brightness(page, "body", "color")
    plot = brightness(page, ".plot svg .role-axis-label text", "fill")
    assert plot == pytest.approx(text)
    assert abs(ground - text) > 150
    return ground < text


def test_the_page_follows_the_system_and_the_reader(browser: Browser, address: str) -> None:  # noqa: F811
    for scheme in ("light", "dark"):
        page = opened(browser, address, color_scheme=scheme)
        button = page.locator("#theme")
        assert is_dark(page) == (scheme == "dark")
        assert button.get_attribute("aria-pressed") == str(scheme == "dark").lower()
        button.click()
        assert is_dark(page) == (scheme == "light")
        assert button.get_attribute("aria-pressed") == str(scheme == "light").lower()
        page.context.close()


def test_a_dark_page_prints_on_white(browser: Browser, address: str) -> None:  # noqa: F811
    page = opened(browser, address, color_scheme="dark")
    page.locator("#theme").click()
    page.locator("#theme").click()
    page.emulate_media(media="print")
    assert brightness(page, "body", "backgroundColor") == pytest.approx(255)
    assert not is_dark(page)
    assert not page.locator("nav").is_visible()
    assert not page.locator("#theme").is_visible()
    for box in page.locator(".scroll").all():
        assert box.evaluate("(box) => getComputedStyle(box).overflowY") == "visible"
    page.context.close()


@pytest.mark.parametrize("width", [360, 800, 1600])
def test_the_page_itself_never_scrolls_sideways(browser: Browser, address: str, width: int) -> None:  # noqa: F811
    page = opened(browser, address, viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.context.close()
