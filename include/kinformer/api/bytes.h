#ifndef KINFORMER_API_BYTES_H_
#define KINFORMER_API_BYTES_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <kinformer/api/text.h>

namespace kinformer::api {

/// Binary data, as in a Secret's `data`: base64 in JSON. The base64 is kept as it was given and decoded on demand.
///
/// A plain text does not convert to Bytes: say whether it is the data or its base64.
class Bytes {
 public:
  Bytes() = default;
  static Bytes FromData(std::string_view data);
  static Bytes FromBase64(std::string_view base64);

  const std::string& base64() const { return base64_.value; }
  /// nullopt if the text is not base64.
  std::optional<std::string> Data() const;

  /// The same base64.
  friend bool operator==(const Bytes& a, const Bytes& b) { return a.base64_.value == b.base64_.value; }

 private:
  internal::Text base64_{};
};

}  // namespace kinformer::api

#endif  // KINFORMER_API_BYTES_H_
