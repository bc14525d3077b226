#include "src/base/user_code.h"

#include <exception>

namespace kinformer::internal {
namespace {

std::string TextOrOutOfMemory(const char* text) noexcept {
  try {
    return text;
  } catch (...) {
    return "out of memory";  // Fits into the string itself.
  }
}

}  // namespace

std::string ThrownText() noexcept {
  try {
    throw;
  } catch (const std::exception& e) {
    return TextOrOutOfMemory(e.what());
  } catch (...) {
    return TextOrOutOfMemory("an exception that is not a std::exception");
  }
}

}  // namespace kinformer::internal
