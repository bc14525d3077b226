// Regular expressions of CRD schemas: the first line of the input is the expression, the rest is the text. The
// expression is refused with a message, or matches or not, within bounded time and stack.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "src/schema/pattern.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t line = input.find('\n');
  const auto pattern = kinformer::apiserver::Pattern::Compile(std::string(input.substr(0, line)));
  if (!pattern) {
    if (pattern.error().message.empty()) std::abort();
    return 0;
  }
  const std::string_view text = line == std::string_view::npos ? std::string_view() : input.substr(line + 1);
  const bool matches = (*pattern)->Matches(text);
  if (matches != (*pattern)->Matches(text)) std::abort();
  return 0;
}
