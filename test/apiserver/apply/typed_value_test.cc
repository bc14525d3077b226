#include "src/apiserver/apply/typed_value.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "test/apiserver/apply/schema_of.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

const Schema& ValueSchema() {
  static SchemaPool pool;
  static const Schema* schema = BuildSchema(json::parse(R"({"type":"object","properties":{
    "text":{"type":"string"},
    "count":{"type":"integer"},
    "flag":{"type":"boolean"},
    "struct":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"object","properties":{"c":{"type":"string"}}}}},
    "atom":{"type":"object","x-kubernetes-map-type":"atomic","properties":{"a":{"type":"string"},"b":{"type":"string"}}},
    "map":{"type":"object","additionalProperties":{"type":"string"}},
    "objects":{"type":"object","additionalProperties":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}},
    "set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
    "list":{"type":"array","x-kubernetes-list-type":"atomic","items":{"type":"string"}},
    "containers":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":{"type":"object","properties":{
      "name":{"type":"string"},"image":{"type":"string"},
      "ports":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["containerPort","protocol"],"items":{"type":"object","properties":{
        "containerPort":{"type":"integer"},"protocol":{"type":"string","default":"TCP"},"name":{"type":"string"}}}}}}},
    "free":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"known":{"type":"object","properties":{"a":{"type":"string"}}}}},
    "any":{},
    "raw":{"type":"object","name":"io.k8s.apimachinery.pkg.runtime.RawExtension"}
  }})"),
                                            pool);
  return *schema;
}

TypeRef Type() { return TypeRef::Of(&ValueSchema()); }

TEST(TypedValue, ItsFieldsAreItsLeavesAndItems) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({})", R"({})"},
      {R"({"text":"x","count":1})", R"({"f:count":{},"f:text":{}})"},
      {R"({"text":null})", R"({"f:text":{}})"},
      // Struct fields are not items: only their contents count, unless they are empty.
      {R"({"struct":{"a":"x"}})", R"({"f:struct":{"f:a":{}}})"},
      {R"({"struct":{}})", R"({"f:struct":{}})"},
      {R"({"struct":null})", R"({"f:struct":{}})"},
      {R"({"struct":{"b":{}}})", R"({"f:struct":{"f:b":{}}})"},
      {R"({"atom":{"a":"x"}})", R"({"f:atom":{}})"},
      {R"({"map":{"a":"x"}})", R"({"f:map":{"f:a":{}}})"},
      {R"({"objects":{"k":{"a":"x"}}})", R"({"f:objects":{"f:k":{".":{},"f:a":{}}}})"},
      {R"({"set":["b","a"]})", R"({"f:set":{"v:\"a\"":{},"v:\"b\"":{}}})"},
      {R"({"set":["a","a"]})", R"({"f:set":{"v:\"a\"":{}}})"},
      {R"({"set":[]})", R"({})"},
      {R"({"set":null})", R"({"f:set":{}})"},
      {R"({"list":["a","b"]})", R"({"f:list":{}})"},
      {R"({"list":[]})", R"({"f:list":{}})"},
      {R"({"containers":[{"name":"web","image":"i"}]})",
       R"({"f:containers":{"k:{\"name\":\"web\"}":{".":{},"f:image":{},"f:name":{}}}})"},
      // A list-map key that is left out takes its default and is not owned.
      {R"({"containers":[{"name":"web","ports":[{"containerPort":80}]}]})",
       R"({"f:containers":{"k:{\"name\":\"web\"}":{".":{},"f:name":{},"f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}}}}})"},
      {R"({"containers":[{"name":"web","ports":[{"containerPort":80,"protocol":"UDP"}]}]})",
       R"({"f:containers":{"k:{\"name\":\"web\"}":{".":{},"f:name":{},"f:ports":{"k:{\"containerPort\":80,\"protocol\":\"UDP\"}":{".":{},"f:containerPort":{},"f:protocol":{}}}}}})"},
      // Items with a duplicate key count as one.
      {R"({"containers":[{"name":"web","image":"a"},{"name":"web","image":"b"}]})",
       R"({"f:containers":{"k:{\"name\":\"web\"}":{}}})"},
      // Values without a schema get the type deduced from the JSON.
      {R"({"free":{"x":{"y":1},"l":[1]}})", R"({"f:free":{"f:l":{},"f:x":{".":{},"f:y":{}}}})"},
      {R"({"free":{"known":{"a":"x","more":1}}})", R"({"f:free":{"f:known":{"f:a":{},"f:more":{}}}})"},
      {R"({"any":[1,2]})", R"({"f:any":{}})"},
      {R"({"any":{"a":1}})", R"({"f:any":{"f:a":{}}})"},
      {R"({"raw":{"a":{"b":1}}})", R"({"f:raw":{}})"},
  };
  for (const auto& [value, fields] : cases) {
    const Result<FieldSet> set = FieldsOf(json::parse(value), Type());
    ASSERT_TRUE(set);
    EXPECT_EQ(set->ToText(), fields) << value;
  }
}

TEST(TypedValue, OfADeducedTypeEveryObjectIsTakenApart) {
  const Result<FieldSet> set =
      FieldsOf(json::parse(R"({"spec":{"a":{"b":1},"l":[{"name":"x"}]},"e":{}})"), TypeRef::Deduced());
  ASSERT_TRUE(set);
  EXPECT_EQ(set->ToText(), R"({"f:e":{},"f:spec":{".":{},"f:a":{".":{},"f:b":{}},"f:l":{}}})");
}

TEST(TypedValue, ComparingTellsWhatWasAddedModifiedAndRemoved) {
  struct Case {
    const char* before;
    const char* after;
    const char* added;
    const char* modified;
    const char* removed;
  };
  const Case cases[] = {
      {R"({"text":"x"})", R"({"text":"x"})", "{}", "{}", "{}"},
      {R"({"text":"x"})", R"({"text":"y"})", "{}", R"({"f:text":{}})", "{}"},
      {R"({})", R"({"text":"y"})", R"({"f:text":{}})", "{}", "{}"},
      {R"({"text":"x"})", R"({})", "{}", "{}", R"({"f:text":{}})"},
      {R"({"text":"x"})", R"({"text":null})", "{}", R"({"f:text":{}})", "{}"},
      {R"({"count":1})", R"({"count":1.0})", "{}", "{}", "{}"},
      {R"({})", R"({"struct":{"a":"x"}})", R"({"f:struct":{".":{},"f:a":{}}})", "{}", "{}"},
      {R"({"struct":{}})", R"({"struct":{"a":"x"}})", R"({"f:struct":{"f:a":{}}})", "{}", "{}"},
      {R"({"struct":{"a":"x"}})", R"({"struct":{}})", "{}", "{}", R"({"f:struct":{"f:a":{}}})"},
      {R"({"struct":{}})", R"({"struct":null})", "{}", R"({"f:struct":{}})", "{}"},
      {R"({"atom":{"a":"x"}})", R"({"atom":{"a":"x","b":"y"}})", "{}", R"({"f:atom":{}})", "{}"},
      {R"({"list":["a"]})", R"({"list":["a","b"]})", "{}", R"({"f:list":{}})", "{}"},
      {R"({"set":["a","b"]})", R"({"set":["c","b"]})", R"({"f:set":{"v:\"c\"":{}}})", "{}",
       R"({"f:set":{"v:\"a\"":{}}})"},
      // The order of a set is not owned.
      {R"({"set":["a","b"]})", R"({"set":["b","a"]})", "{}", "{}", "{}"},
      {R"({"set":["a","a"]})", R"({"set":["a"]})", R"({"f:set":{"v:\"a\"":{}}})", "{}", R"({"f:set":{"v:\"a\"":{}}})"},
      {R"({"containers":[{"name":"a","image":"1"},{"name":"b"}]})",
       R"({"containers":[{"name":"c"},{"name":"a","image":"2"}]})",
       R"({"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:name":{}}}})",
       R"({"f:containers":{"k:{\"name\":\"a\"}":{"f:image":{}}}})",
       R"({"f:containers":{"k:{\"name\":\"b\"}":{".":{},"f:name":{}}}})"},
      {R"({"containers":[{"name":"a","ports":[{"containerPort":80}]}]})",
       R"({"containers":[{"name":"a","ports":[{"containerPort":80,"protocol":"TCP"}]}]})",
       R"({"f:containers":{"k:{\"name\":\"a\"}":{"f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{"f:protocol":{}}}}}})",
       "{}", "{}"},
      // A field of any type that changes its type.
      {R"({"any":{"a":1}})", R"({"any":1})", "{}", R"({"f:any":{}})", R"({"f:any":{"f:a":{}}})"},
      {R"({"any":{"a":1}})", R"({"any":null})", "{}", "{}", R"({"f:any":{"f:a":{}}})"},
  };
  for (const Case& c : cases) {
    const Result<FieldComparison> compared = CompareTyped(json::parse(c.before), json::parse(c.after), Type());
    ASSERT_TRUE(compared);
    EXPECT_EQ(compared->added.ToText(), c.added) << c.before << c.after;
    EXPECT_EQ(compared->modified.ToText(), c.modified) << c.before << c.after;
    EXPECT_EQ(compared->removed.ToText(), c.removed) << c.before << c.after;
  }
}

TEST(TypedValue, MergingKeepsWhatIsThereAndTakesWhatIsNew) {
  struct Case {
    const char* value;
    const char* partial;
    const char* merged;
  };
  const Case cases[] = {
      {R"({"text":"x","count":1})", R"({"text":"y"})", R"({"text":"y","count":1})"},
      {R"({"text":"x"})", R"({"text":null})", R"({"text":null})"},
      {R"({"struct":{"a":"x"}})", R"({"struct":{"b":{"c":"y"}}})", R"({"struct":{"a":"x","b":{"c":"y"}}})"},
      {R"({"struct":{"a":"x"}})", R"({"struct":null})", R"({"struct":{"a":"x"}})"},
      {R"({"atom":{"a":"x"}})", R"({"atom":{"b":"y"}})", R"({"atom":{"b":"y"}})"},
      {R"({"list":["a","b"]})", R"({"list":["c"]})", R"({"list":["c"]})"},
      {R"({"list":["a","b"]})", R"({"list":[]})", R"({"list":[]})"},
      {R"({"set":["a","b"]})", R"({"set":["c"]})", R"({"set":["a","b","c"]})"},
      {R"({"set":["a","b","c"]})", R"({"set":["c","a"]})", R"({"set":["b","c","a"]})"},
      {R"({"set":["a","b","c","d"]})", R"({"set":["d","x","a"]})", R"({"set":["b","c","d","x","a"]})"},
      {R"({"containers":[{"name":"a","image":"1"},{"name":"b"}]})",
       R"({"containers":[{"name":"b","image":"2"},{"name":"c"}]})",
       R"({"containers":[{"name":"a","image":"1"},{"name":"b","image":"2"},{"name":"c"}]})"},
      {R"({"containers":[{"name":"a","ports":[{"containerPort":80,"protocol":"TCP","name":"x"}]}]})",
       R"({"containers":[{"name":"a","ports":[{"containerPort":80,"name":"y"},{"containerPort":80,"protocol":"UDP"}]}]})",
       R"({"containers":[{"name":"a","ports":[{"containerPort":80,"protocol":"TCP","name":"y"},{"containerPort":80,"protocol":"UDP"}]}]})"},
      {R"({"any":{"a":1}})", R"({"any":{"b":2}})", R"({"any":{"a":1,"b":2}})"},
      {R"({"any":{"a":1}})", R"({"any":[1]})", R"({"any":[1]})"},
  };
  for (const Case& c : cases) {
    const Result<json> merged = MergeTyped(json::parse(c.value), json::parse(c.partial), Type());
    ASSERT_TRUE(merged) << c.value << c.partial;
    EXPECT_EQ(*merged, json::parse(c.merged)) << c.value << c.partial << " " << *merged;
  }
}

TEST(TypedValue, RemovesAndExtractsItems) {
  struct Case {
    const char* value;
    const char* fields;
    const char* removed;
    const char* extracted;
  };
  const Case cases[] = {
      {R"({"text":"x","count":1})", R"({"f:text":{}})", R"({"count":1})", R"({"text":"x"})"},
      {R"({"struct":{"a":"x","b":{"c":"y"}}})", R"({"f:struct":{"f:a":{}}})", R"({"struct":{"b":{"c":"y"}}})",
       R"({"struct":{"a":"x"}})"},
      {R"({"map":{"a":"x"}})", R"({"f:map":{"f:a":{}}})", R"({"map":null})", R"({"map":{"a":"x"}})"},
      {R"({"set":["a","b"]})", R"({"f:set":{"v:\"a\"":{}}})", R"({"set":["b"]})", R"({"set":["a"]})"},
      {R"({"containers":[{"name":"a","image":"1"},{"name":"b"}]})",
       R"({"f:containers":{"k:{\"name\":\"a\"}":{"f:image":{}}}})", R"({"containers":[{"name":"a"},{"name":"b"}]})",
       R"({"containers":[{"image":"1"}]})"},
      {R"({"containers":[{"name":"a","image":"1"},{"name":"b"}]})", R"({"f:containers":{"k:{\"name\":\"a\"}":{}}})",
       R"({"containers":[{"name":"b"}]})", R"({"containers":[{"name":"a","image":"1"}]})"},
      {R"({"text":"x"})", R"({"f:other":{}})", R"({"text":"x"})", "null"},
  };
  for (const Case& c : cases) {
    const FieldSet fields = *FieldSet::FromJson(json::parse(c.fields));
    EXPECT_EQ(RemoveItems(json::parse(c.value), fields, Type()), json::parse(c.removed)) << c.value << c.fields;
    EXPECT_EQ(ExtractItems(json::parse(c.value), fields, Type()), json::parse(c.extracted)) << c.value << c.fields;
  }
}

TEST(TypedValue, WhatIsNotAsTheSchemaSaysIsNamed) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"text":"x","struct":{"b":{"c":"y"}},"free":{"x":[1,"a"]}})", ""},
      {R"({"unknown":1})", ".unknown: field not declared in schema"},
      {R"({"struct":{"b":{"x":1}}})", ".struct.b.x: field not declared in schema"},
      {R"({"count":"1"})", ".count: expected numeric (int or float), got string"},
      {R"({"flag":"true"})", R"(.flag: expected boolean, got &{"true"})"},
      {R"({"struct":[1]})", ".struct: expected map, got &{[1]}"},
      {R"({"set":{}})", ".set: expected list, got &{{}}"},
      {R"({"set":["a","a"]})", R"(.set: duplicate entries for key [="a"])"},
      {R"({"set":[null]})", ".set: element 0: associative list without keys has an element that's an explicit null"},
      {R"({"set":[{}]})", ".set: element 0: associative list without keys has an element that's a map type"},
      {R"({"containers":[{"image":"x"}]})",
       R"(.containers: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn't have default values for any key fields))"},
      {R"({"containers":["x"]})", ".containers: element 0: associative list with keys may not have non-map elements"},
      {R"({"containers":[{"name":"a","x":1}]})", R"(.containers[name="a"].x: field not declared in schema)"},
      {R"({"count":"1","flag":1})",
       "errors:\n  .count: expected numeric (int or float), got string\n  .flag: expected boolean, got &{1}"},
  };
  for (const auto& [value, message] : cases) {
    const Result<void> valid = ValidateTyped(json::parse(value), Type(), Duplicates::kForbidden);
    EXPECT_EQ(valid ? "" : valid.error().message, message) << value;
  }
  EXPECT_TRUE(ValidateTyped(json::parse(R"({"set":["a","a"]})"), Type(), Duplicates::kAllowed));
}

TEST(TypedValue, NamedFieldsOnTheWayBecomeMembersItemsDoNot) {
  const FieldSet set = *FieldSet::FromJson(json::parse(
      R"({"f:struct":{"f:b":{"f:c":{}}},"f:objects":{"f:k":{"f:a":{}}},"f:containers":{"k:{\"name\":\"a\"}":{"f:ports":{"k:{\"containerPort\":80}":{"f:name":{}}}}}})"));
  EXPECT_EQ(
      set.EnsureNamedFieldsAreMembers(Type()).ToText(),
      R"({"f:containers":{".":{},"k:{\"name\":\"a\"}":{"f:ports":{".":{},"k:{\"containerPort\":80}":{"f:name":{}}}}},"f:objects":{".":{},"f:k":{"f:a":{}}},"f:struct":{".":{},"f:b":{".":{},"f:c":{}}}})");
}

TEST(TypedValue, WhatHasBecomeOneValueIsOwnedAsOne) {
  const FieldSet set =
      *FieldSet::FromJson(json::parse(R"({"f:atom":{"f:a":{}},"f:list":{"v:\"a\"":{}},"f:map":{"f:a":{}}})"));
  EXPECT_EQ(ReconciledWith(set, Type()).ToText(), R"({"f:atom":{},"f:list":{},"f:map":{"f:a":{}}})");
}

}  // namespace
}  // namespace kinformer::apiserver
