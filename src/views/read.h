#ifndef KINFORMER_SRC_VIEWS_READ_H_
#define KINFORMER_SRC_VIEWS_READ_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/base/result.h>
#include <kinformer/codec/object.h>
#include <kinformer/meta/selector.h>
#include <kinformer/meta/time.h>

namespace kinformer::internal {

/// How the views read fields. As with Value, what is absent or of another type is left out.

inline std::string Text(const Value& value) { return value.StringOr(""); }
/// For an IntOrString.
std::string TextOrNumber(const Value& value, std::string_view otherwise);
std::optional<Timestamp> Time(const Value& value);
std::vector<std::string> Texts(const Value& array);
/// The `name` of each element, as in references within a namespace.
std::vector<std::string> Names(const Value& array);
std::map<std::string, std::string> TextsByKey(const Value& object);
/// Decoded from base64.
std::map<std::string, std::string> BytesByKey(const Value& object);
std::optional<std::string> Bytes(const Value& value);
/// A member by name, which may contain any bytes.
Value Member(const Value& object, std::string_view name);

template <typename T>
std::vector<T> Lenses(const ObjectPtr& owner, const Value& array) {
  std::vector<T> lenses;
  for (const Value& element : array.Elements()) lenses.emplace_back(owner, element);
  return lenses;
}

/// Unlike the above, it leaves nothing out, because fewer requirements would match more: an invalid selector is an
/// error. An absent selector matches nothing.
Result<LabelSelector> Selector(const Value& selector);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_VIEWS_READ_H_
