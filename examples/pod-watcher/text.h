#ifndef KINFORMER_EXAMPLES_POD_WATCHER_TEXT_H_
#define KINFORMER_EXAMPLES_POD_WATCHER_TEXT_H_

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Text as a terminal shows it. Widths are in terminal columns: 2 for East Asian wide characters and emoji, 0 for
// combining characters. Input is UTF-8.

/// Terminal columns of `text`. Escape sequences of colours and attributes (ESC [ … m) count 0.
std::size_t DisplayWidth(std::string_view text);

/// `text` without control characters and invalid UTF-8, each of which becomes '?': nothing that a server sends can
/// steer the terminal.
std::string Printable(std::string_view text);

/// Precondition: no escape sequences. At most `width` columns; what is longer ends in "…".
std::string Cut(std::string_view text, std::size_t width);
/// Cut, then padded with spaces to exactly `width` columns.
std::string Fit(std::string_view text, std::size_t width);
/// `text` in at most `max_lines` lines of at most `width` columns, broken at spaces where there are some; the last line
/// ends in "…" if more would follow.
std::vector<std::string> Wrap(std::string_view text, std::size_t width, std::size_t max_lines);

/// True if `text` contains `lower_case_part`, ignoring the case of ASCII letters in `text`.
bool ContainsIgnoringCase(std::string_view text, std::string_view lower_case_part);
std::string LowerCase(std::string_view text);
/// Empty stays empty.
std::string_view WithoutFirstCharacter(std::string_view text);
std::string_view WithoutLastCharacter(std::string_view text);

/// As in kubectl's AGE column: "45s", "5m30s", "47h", "3d4h", "2y10d".
std::string HumanDuration(std::chrono::nanoseconds duration);

#endif  // KINFORMER_EXAMPLES_POD_WATCHER_TEXT_H_
