#ifndef KINFORMER_TEST_VIEWS_TEST_OBJECTS_H_
#define KINFORMER_TEST_VIEWS_TEST_OBJECTS_H_

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <kinformer/codec/object.h>

namespace kinformer::testing {

/// Parses a text that must be a valid object.
inline ObjectPtr Parsed(std::string_view json) {
  auto object = Object::Parse(json);
  EXPECT_TRUE(object) << (object ? "" : object.error().message);
  return object.value();
}

/// A view of an object of T's kind that has, besides a name, the members in `rest` ("spec":{...},"status":{...}).
template <typename T>
T ViewOf(std::string_view rest = {}) {
  std::string json = R"({"apiVersion":")" + T::kInfo.Gvk().ApiVersion() + R"(","kind":")" + std::string(T::kInfo.kind) +
                     R"(","metadata":{"name":"x"})";
  if (!rest.empty()) json.append(",").append(rest);
  json += '}';
  return T::From(Parsed(json)).value();
}

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_VIEWS_TEST_OBJECTS_H_
