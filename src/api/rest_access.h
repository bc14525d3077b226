#ifndef KINFORMER_SRC_API_REST_ACCESS_H_
#define KINFORMER_SRC_API_REST_ACCESS_H_

#include <cstddef>
#include <string>
#include <string_view>

#include <kinformer/api/rest.h>

namespace kinformer::api::internal {

/// Appends valid JSON without the white space between its tokens.
void AppendCompact(std::string_view json, std::string& out);

struct RestAccess {
  /// `raw_name`: the contents of a JSON string, still escaped. `value`: valid JSON.
  static void Add(Rest& rest, std::string_view raw_name, std::string_view value);
  static std::string_view Text(const Rest& rest) { return rest.text_ == nullptr ? "" : std::string_view(*rest.text_); }
};

/// Iterates over the members of a Rest, which must not change meanwhile.
class RestCursor {
 public:
  explicit RestCursor(const Rest& rest) : text_(RestAccess::Text(rest)) {}

  /// False at the end.
  bool Next();
  /// The name as in the text, with its quotes.
  std::string_view QuotedName() const { return text_.substr(begin_, colon_ - begin_); }
  std::string Name() const;
  bool NameIs(std::string_view name) const;
  std::string_view Value() const { return text_.substr(colon_ + 1, end_ - colon_ - 1); }
  /// The range of the member in the text.
  std::size_t begin() const { return begin_; }
  std::size_t end() const { return end_; }

 private:
  std::string_view text_;
  std::size_t begin_ = 0;
  std::size_t colon_ = 0;
  std::size_t end_ = 0;
};

}  // namespace kinformer::api::internal

#endif  // KINFORMER_SRC_API_REST_ACCESS_H_
