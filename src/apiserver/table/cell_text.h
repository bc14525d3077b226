#ifndef KINFORMER_SRC_APISERVER_TABLE_CELL_TEXT_H_
#define KINFORMER_SRC_APISERVER_TABLE_CELL_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include <kinformer/codec/object.h>
#include <kinformer/meta/time.h>

namespace kinformer::apiserver {

/// The age of the time at `moment`; "<unknown>" if absent or invalid.
std::string AgeOf(const Value& moment, Timestamp now);
/// The strings of an array; "" for other elements.
std::vector<std::string> Strings(const Value& array);
/// The string, or the raw JSON of other values; "" if absent or null.
std::string TextOf(const Value& value);
/// Like TextOf, but "0" if empty.
std::string QuantityOf(const Value& value);
/// "a=b,c=d", sorted; "<none>" if empty.
std::string LabelsText(const Value& labels);
/// "a=b,c in (d,e)" for a label selector; "" if it is empty, "<error>" if it is invalid.
std::string SelectorText(const Value& selector);
/// One field of each element, separated by commas.
std::string FieldOfEach(const Value& array, std::string_view pointer);
/// The first element whose /type is `type`; absent if none.
Value ConditionOf(const Value& conditions, std::string_view type);
bool IsTrue(const Value& condition);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_TABLE_CELL_TEXT_H_
