"""A comparison as text, files or a page. All take their words and numbers from `text`, so that they agree."""
