#ifndef KINFORMER_EXAMPLES_POD_WATCHER_STYLE_H_
#define KINFORMER_EXAMPLES_POD_WATCHER_STYLE_H_

#include <string>
#include <string_view>

// Attributes of text on a terminal. Each has its own end, so that they nest.

struct Style {
  std::string_view begin;
  std::string_view end;

  std::string operator()(std::string_view text) const { return std::string(begin).append(text).append(end); }
};

inline constexpr Style kPlain{"", ""};
inline constexpr Style kBold{"\033[1m", "\033[22m"};
inline constexpr Style kDim{"\033[2m", "\033[22m"};
inline constexpr Style kReverse{"\033[7m", "\033[27m"};
inline constexpr Style kRed{"\033[31m", "\033[39m"};
inline constexpr Style kGreen{"\033[32m", "\033[39m"};
inline constexpr Style kYellow{"\033[33m", "\033[39m"};

#endif  // KINFORMER_EXAMPLES_POD_WATCHER_STYLE_H_
