"""THE answer to "does this text state this value?", and the small text tools that must agree with
it.

A text is read once into items (numbers, percents, ranges, dates, clock times, versions); `states`,
`find`, `keys` and `numbers` all look at the same items, so they cannot disagree. Names are
whole-word patterns. Nothing here guesses.

Reading rules
- Numbers compare as numbers. A digit run that belongs to a code, path, date, clock, version or
  fraction is no number.
- A unit counts when it is in `UNITS`, is the value's own noun, or looks like a plural noun right
  after the number while the value has a (non-currency) unit. A bare number fits a value with a
  unit; another unit does not.
- The ends of a range do not state a plain number. "changed from 250 to 309" is a change, not a
  range.
- Names: case, diacritics, curly quotes, hyphen or space, a dot after a word and a possessive 's
  do not matter.
"""
