#ifndef KINFORMER_SRC_API_REST_ACCESS_H_
#define KINFORMER_SRC_API_REST_ACCESS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kinformer/api/rest.h>

namespace kinformer::api::internal {

/// Appends valid JSON without the white space between its tokens.
void AppendCompact(std::string_view json, std::string& out);

struct RestAccess {
  /// Does not look for another member of this name. `raw_name`: the contents of a JSON string, still escaped. `value`:
  /// valid JSON.
  static void Add(Rest& rest, std::string_view raw_name, std::string_view value);
  /// `text`: as Rest::text_, but empty if there are no members.
  static void Replace(Rest& rest, std::string text);
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
  std::string_view Text() const { return text_.substr(begin_, end_ - begin_); }
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

struct RestEntry {
  std::string name;
  /// In the text of the Rest, which must not change meanwhile.
  std::string_view member;
  std::string_view value;
};

/// The members of a Rest in their order, except those that `is_hidden(name)` is true for.
template <typename Function>
std::vector<RestEntry> EntriesOf(const Rest& rest, Function&& is_hidden) {
  std::vector<RestEntry> entries;
  RestCursor cursor(rest);
  while (cursor.Next()) {
    std::string name = cursor.Name();
    if (is_hidden(name)) continue;
    entries.push_back({std::move(name), cursor.Text(), cursor.Value()});
  }
  return entries;
}

/// True if both have the same names with the same values, in any order. Precondition: no name occurs twice in one.
bool SameEntries(std::vector<RestEntry> a, std::vector<RestEntry> b);

/// Keeps the last of equal names.
void KeepLast(std::vector<RestEntry>& entries);

}  // namespace kinformer::api::internal

#endif  // KINFORMER_SRC_API_REST_ACCESS_H_
