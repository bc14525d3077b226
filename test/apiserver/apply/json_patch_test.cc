#include "src/apiserver/apply/json_patch.h"

#include <gtest/gtest.h>

#include <string>

#include <nlohmann/json.hpp>

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

Result<json> Apply(const char* object, const char* patch) {
  return ApplyJsonPatch(json::parse(object), json::parse(patch));
}

struct PatchCase {
  const char* object;
  const char* patch;
  const char* patched;
};

void Check(const PatchCase& c) {
  SCOPED_TRACE(c.patch);
  const Result<json> patched = Apply(c.object, c.patch);
  ASSERT_TRUE(patched.ok()) << ToString(patched.error());
  EXPECT_EQ(*patched, json::parse(c.patched));
}

TEST(JsonPatch, OperationsAreDoneOneAfterTheOther) {
  const PatchCase cases[] = {
      {R"({"a":1})", R"([])", R"({"a":1})"},
      {R"({"a":1})", R"([{"op":"add","path":"/b","value":{}},{"op":"add","path":"/b/c","value":2}])",
       R"({"a":1,"b":{"c":2}})"},
      {R"({"a":[1,3]})", R"([{"op":"add","path":"/a/1","value":2},{"op":"add","path":"/a/-","value":4}])",
       R"({"a":[1,2,3,4]})"},
      {R"({"a":[1,2],"b":1})", R"([{"op":"remove","path":"/a/0"},{"op":"remove","path":"/b"}])", R"({"a":[2]})"},
      {R"({"a":[1,2]})", R"([{"op":"replace","path":"/a/1","value":3}])", R"({"a":[1,3]})"},
      {R"({"a":{"b":1}})", R"([{"op":"move","from":"/a/b","path":"/c"}])", R"({"a":{},"c":1})"},
      {R"({"a":{"b":1}})", R"([{"op":"copy","from":"/a","path":"/c"}])", R"({"a":{"b":1},"c":{"b":1}})"},
      {R"({"x/y":1,"m~n":2,"~1":3})",
       R"([{"op":"test","path":"/x~1y","value":1},{"op":"test","path":"/m~0n","value":2},{"op":"remove","path":"/~01"}])",
       R"({"x/y":1,"m~n":2})"},
      {R"({"a":1})", R"([{"op":"test","path":"","value":{"a":1}},{"op":"replace","path":"","value":{"b":2}}])",
       R"({"b":2})"},
  };
  for (const PatchCase& c : cases) Check(c);
}

TEST(JsonPatch, IsAsLenientAsAServer) {
  const PatchCase cases[] = {
      // Adds the first finalizer only if there is none yet.
      {R"({"metadata":{}})",
       R"([{"op":"test","path":"/metadata/finalizers","value":null},{"op":"add","path":"/metadata/finalizers","value":["f"]}])",
       R"({"metadata":{"finalizers":["f"]}})"},
      {R"({"a":1})", R"([{"op":"test","path":"/b"}])", R"({"a":1})"},
      {R"({"a":1})", R"([{"op":"replace","path":"/b","value":2}])", R"({"a":1,"b":2})"},
      {R"({"a":[1,2,3]})", R"([{"op":"remove","path":"/a/-1"},{"op":"add","path":"/a/-1","value":4}])",
       R"({"a":[1,2,4]})"},
  };
  for (const PatchCase& c : cases) Check(c);
}

TEST(JsonPatch, WhatCannotBeDoneIsInvalid) {
  for (const char* patch : {
           R"([{"op":"test","path":"/a","value":2}])",
           R"([{"op":"test","path":"/a","value":null}])",
           R"([{"op":"test","path":"/no/where","value":null}])",
           R"([{"op":"test","path":"/list/5","value":null}])",
           R"([{"op":"test","path":"","value":null}])",
           R"([{"op":"add","path":"/no/where","value":1}])",
           R"([{"op":"add","path":"/a/b","value":1}])",
           R"([{"op":"add","path":"","value":1}])",
           R"([{"op":"add","path":"/list/3","value":1}])",
           R"([{"op":"add","path":"/list/x","value":1}])",
           R"([{"op":"add","path":"/list/-4","value":1}])",
           R"([{"op":"add","path":"/list/99999999999999999999","value":1}])",
           R"([{"op":"remove","path":"/b"}])",
           R"([{"op":"remove","path":"/list/2"}])",
           R"([{"op":"replace","path":"/list/2","value":1}])",
           R"([{"op":"replace","path":"","value":1}])",
           R"([{"op":"replace","path":"","value":[]}])",
           R"([{"op":"move","from":"/b","path":"/c"}])",
           R"([{"op":"move","from":"/list","path":"/list/0"}])",
           R"([{"op":"copy","from":"/list/2","path":"/c"}])",
           R"([{"op":"copy","from":"/a","path":"/no/where"}])",
           R"([{"op":"jump","path":"/a"}])",
           R"([{}])",
       }) {
    const Result<json> patched = Apply(R"({"a":1,"list":[1,2]})", patch);
    ASSERT_FALSE(patched.ok()) << patch;
    EXPECT_EQ(patched.error().http_status, 422) << patch;
    EXPECT_EQ(patched.error().reason, "Invalid") << patch;
  }
}

TEST(JsonPatch, WhatIsNoPatchIsABadRequest) {
  for (const char* patch : {R"({})", R"("add")", R"([1])", R"([{"op":1}])", R"([{"op":"add","path":[]}])",
                            R"([{"op":"move","from":{},"path":"/a"}])"}) {
    const Result<json> patched = Apply(R"({"a":1})", patch);
    ASSERT_FALSE(patched.ok()) << patch;
    EXPECT_EQ(patched.error().http_status, 400) << patch;
  }
}

TEST(JsonPatch, CopiesCannotMakeAnObjectOfAnySize) {
  json patch = json::array();
  for (int i = 0; i < 64; ++i) {
    patch.push_back({{"op", "copy"}, {"from", "/a"}, {"path", "/a/" + std::to_string(i)}});
  }
  const Result<json> patched = ApplyJsonPatch(json{{"a", {{"b", "c"}}}}, patch);
  ASSERT_FALSE(patched.ok());
  EXPECT_EQ(patched.error().http_status, 422);
  EXPECT_NE(patched.error().message.find("accumulated size"), std::string::npos) << patched.error().message;
}

TEST(JsonPatch, NothingBecomesDeeperThanCanBeRead) {
  // Nests a field in itself over and over, by copies or by moves.
  json copies = json::array();
  json moves = json::array();
  for (int i = 0; i < 2000; ++i) {
    copies.push_back({{"op", "copy"}, {"from", "/a"}, {"path", "/a/b"}});
    moves.push_back({{"op", "add"}, {"path", "/x"}, {"value", json::object()}});
    moves.push_back({{"op", "move"}, {"from", "/a"}, {"path", "/x/a"}});
    moves.push_back({{"op", "move"}, {"from", "/x"}, {"path", "/a"}});
  }
  for (const json& patch : {copies, moves}) {
    const Result<json> patched = ApplyJsonPatch(json{{"a", json::object()}}, patch);
    ASSERT_FALSE(patched.ok());
    EXPECT_EQ(patched.error().http_status, 422);
    EXPECT_NE(patched.error().message.find("deeper"), std::string::npos) << patched.error().message;
  }
}

}  // namespace
}  // namespace kinformer::apiserver
