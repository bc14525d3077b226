#ifndef KINFORMER_API_RAW_JSON_H_
#define KINFORMER_API_RAW_JSON_H_

#include <string>
#include <string_view>

#include <kinformer/api/text.h>

namespace kinformer {
template <typename T>
class Result;
}  // namespace kinformer

namespace kinformer::api {

namespace internal {
struct RawJsonAccess;
}  // namespace internal

/// Any JSON value, as its text without white space. For fields without a fixed structure, such as an embedded object.
class RawJson {
 public:
  /// null.
  RawJson() : text_(std::string_view("null")) {}
  RawJson(const RawJson& other) = default;
  /// Leaves null behind.
  RawJson(RawJson&& other) noexcept;
  RawJson& operator=(const RawJson& other) = default;
  RawJson& operator=(RawJson&& other) noexcept;
  ~RawJson() = default;
  /// kMalformed if it is not one valid JSON value.
  static Result<RawJson> Parse(std::string_view json);
  /// `value`: a struct, a list or a map of this layer. Needs <kinformer/api/json.h>.
  template <typename T>
  static RawJson From(const T& value);

  const std::string& text() const { return text_.value; }
  /// As api::Decode<T>(text()). Needs <kinformer/api/json.h>.
  template <typename T>
  Result<T> Decode() const;

  /// The same text: the order of members and the notation of numbers count.
  friend bool operator==(const RawJson& a, const RawJson& b) { return a.text_.value == b.text_.value; }

 private:
  friend struct internal::RawJsonAccess;
  explicit RawJson(std::string&& text) : text_(static_cast<std::string&&>(text)) {}

  internal::Text text_;
};

}  // namespace kinformer::api

#endif  // KINFORMER_API_RAW_JSON_H_
