#include "src/apiserver/access/random_token.h"

#include <openssl/rand.h>

#include <array>
#include <string_view>

namespace kinformer::apiserver {

Result<std::string> RandomToken() {
  std::array<unsigned char, 32> random{};
  if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1) {
    return Error{.code = ErrorCode::kInternal, .message = "no random bytes for a token"};
  }
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * random.size());
  for (const unsigned char byte : random) {
    text += digits[byte >> 4U];
    text += digits[byte & 15U];
  }
  return text;
}

}  // namespace kinformer::apiserver
