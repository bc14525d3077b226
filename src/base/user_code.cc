#include "src/base/user_code.h"

#include <exception>

namespace kinformer::internal {

std::string ThrownText() noexcept {
  try {
    throw;
  } catch (const std::exception& e) {
    try {
      return e.what();
    } catch (...) {
      return "out of memory";  // Fits into the string itself.
    }
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

}  // namespace kinformer::internal
