#ifndef KINFORMER_SRC_APISERVER_TABLE_CELL_TEXT_H_
#define KINFORMER_SRC_APISERVER_TABLE_CELL_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include <kinformer/codec/object.h>
#include <kinformer/meta/time.h>

namespace kinformer::apiserver {

/// Pieces of text that the cells of several kinds are made of.

/// Since what is at `moment`; "<unknown>" for nothing.
std::string AgeOf(const Value& moment, Timestamp now);
std::string Joined(const std::vector<std::string>& parts, std::string_view separator);
/// The strings of an array.
std::vector<std::string> Strings(const Value& array);
/// A string as it is, a number as it stands; "" for nothing.
std::string TextOf(const Value& value);
/// As TextOf, "0" for nothing.
std::string QuantityOf(const Value& value);
/// "a=b,c=d" of an object with strings, sorted; "<none>".
std::string LabelsText(const Value& labels);
/// "a=b,c in (d,e)" of a label selector; "" if it asks for nothing, "<error>" if it makes no sense.
std::string SelectorText(const Value& selector);
/// One field of every element, with commas between.
std::string FieldOfEach(const Value& array, std::string_view pointer);
/// The first element whose /type is `type`; absent if there is none.
Value ConditionOf(const Value& conditions, std::string_view type);
bool IsTrue(const Value& condition);
std::string Lower(std::string text);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_TABLE_CELL_TEXT_H_
