#include "src/apiserver/apply/strategic_merge.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "src/schema/built_in_schemas.h"
#include "test/apiserver/apply/schema_of.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

const Schema& TestSchema() {
  static SchemaPool pool;
  static const Schema* schema = BuildSchema(json::parse(R"({"type":"object","name":"example.Foo","properties":{
    "text":{"type":"string"},
    "map":{"type":"object","additionalProperties":{"type":"string"}},
    "struct":{"type":"object","x-kubernetes-patch-strategy":"retainKeys","properties":{"a":{"type":"string"},"b":{"type":"string"}}},
    "set":{"type":"array","x-kubernetes-patch-strategy":"merge","items":{"type":"string"}},
    "plain":{"type":"array","items":{"type":"string"}},
    "bare":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}}}},
    "list":{"type":"array","x-kubernetes-patch-strategy":"merge","x-kubernetes-patch-merge-key":"name","items":{"type":"object","properties":{
      "name":{"type":"string"},"image":{"type":"string"},"args":{"type":"array","items":{"type":"string"}},
      "ports":{"type":"array","x-kubernetes-patch-strategy":"merge","x-kubernetes-patch-merge-key":"port","items":{"type":"object","properties":{"port":{"type":"integer"},"hint":{"type":"string"}}}}}}}
  }})"),
                                            pool);
  return *schema;
}

TEST(StrategicMerge, MergesByTheKeysOfTheSchema) {
  struct Case {
    const char* object;
    const char* patch;
    const char* merged;
  };
  const Case cases[] = {
      {R"({"text":"a","map":{"x":"1"}})", R"({"map":{"y":"2"}})", R"({"text":"a","map":{"x":"1","y":"2"}})"},
      {R"({"text":"a","map":{"x":"1","y":"2"}})", R"({"text":null,"map":{"x":null}})", R"({"map":{"y":"2"}})"},
      // Nulls inside a new value are dropped, too.
      {R"({})", R"({"map":{"x":null,"y":"2"}})", R"({"map":{"y":"2"}})"},
      {R"({"map":{"x":"1"}})", R"({"map":{"$patch":"replace","y":"2"}})", R"({"map":{"y":"2"}})"},
      {R"({"map":{"x":"1"}})", R"({"map":{"$patch":"delete"}})", R"({"map":{}})"},
      {R"({})", R"({"map":{"$patch":"delete"}})", R"({})"},
      {R"({"text":"a"})", R"({"$patch":"replace","map":{"y":"2"}})", R"({"map":{"y":"2"}})"},
      {R"({"plain":["a","b"]})", R"({"plain":["c"]})", R"({"plain":["c"]})"},
      {R"({"bare":[{"name":"a"}]})", R"({"bare":[{"name":"b"}]})", R"({"bare":[{"name":"b"}]})"},
      {R"({"text":"a"})", R"({"text":{"b":1}})", R"({"text":{"b":1}})"},
      // Sets of scalars.
      {R"({"set":["a","b"]})", R"({"set":["c","a"]})", R"({"set":["c","a","b"]})"},
      {R"({"set":["a","b"]})", R"({"$deleteFromPrimitiveList/set":["a","x"]})", R"({"set":["b"]})"},
      {R"({})", R"({"$deleteFromPrimitiveList/set":["a"]})", R"({})"},
      {R"({"set":["a","b","c"]})", R"({"$setElementOrder/set":["c","a"]})", R"({"set":["b","c","a"]})"},
      {R"({"set":["a","b"]})", R"({"$setElementOrder/set":["d","a"],"set":["d"]})", R"({"set":["d","a","b"]})"},
      // Lists merged by key.
      {R"({"list":[{"name":"a","image":"1"},{"name":"b"}]})", R"({"list":[{"name":"b","image":"2"}]})",
       R"({"list":[{"name":"a","image":"1"},{"name":"b","image":"2"}]})"},
      {R"({"list":[{"name":"a","image":"1"}]})", R"({"list":[{"name":"b"}]})",
       R"({"list":[{"name":"b"},{"name":"a","image":"1"}]})"},
      {R"({"list":[{"name":"a"},{"name":"b"}]})", R"({"list":[{"$patch":"delete","name":"a"}]})",
       R"({"list":[{"name":"b"}]})"},
      {R"({"list":[{"name":"a"},{"name":"b"}]})", R"({"list":[{"$patch":"replace"},{"name":"c"}]})",
       R"({"list":[{"name":"c"}]})"},
      {R"({"list":[{"name":"a"},{"name":"b"}]})", R"({"list":[{"$patch":"replace"}]})", R"({"list":[]})"},
      {R"({"list":[{"name":"a","args":["1"]}]})", R"({"list":[{"name":"a","args":["2"],"image":null}]})",
       R"({"list":[{"name":"a","args":["2"]}]})"},
      {R"({"list":[{"name":"a","ports":[{"port":1,"hint":"x"},{"port":2}]}]})",
       R"({"list":[{"name":"a","ports":[{"port":2,"hint":"y"},{"$patch":"delete","port":1},{"port":3}]}]})",
       R"({"list":[{"name":"a","ports":[{"port":2,"hint":"y"},{"port":3}]}]})"},
      {R"({"list":[{"name":"a"},{"name":"s"},{"name":"b"}]})",
       R"({"$setElementOrder/list":[{"name":"b"},{"name":"a"}],"list":[{"name":"a","image":"1"}]})",
       R"({"list":[{"name":"s"},{"name":"b"},{"name":"a","image":"1"}]})"},
      {R"({"list":[{"name":"a"},{"name":"b"}]})",
       R"({"$setElementOrder/list":[{"name":"c"},{"name":"b"}],"list":[{"name":"c"},{"$patch":"delete","name":"a"}]})",
       R"({"list":[{"name":"c"},{"name":"b"}]})"},
      {R"({})", R"({"$setElementOrder/list":[{"name":"a"}],"list":[{"name":"a"},{"$patch":"delete","name":"b"}]})",
       R"({"list":[{"name":"a"}]})"},
      {R"({})", R"({"$setElementOrder/list":[{"name":"a"}]})", R"({})"},
      // Mutually exclusive fields.
      {R"({"struct":{"a":"1"}})", R"({"struct":{"$retainKeys":["b"],"b":"2"}})", R"({"struct":{"b":"2"}})"},
      {R"({"struct":{"a":"1","b":"2"}})", R"({"struct":{"$retainKeys":["a"]}})", R"({"struct":{"a":"1"}})"},
      {R"({"struct":{"a":"1"}})", R"({"struct":{"$retainKeys":["b"],"a":null,"b":"2"}})", R"({"struct":{"b":"2"}})"},
  };
  for (const Case& c : cases) {
    const Result<json> merged = StrategicMerge(json::parse(c.object), json::parse(c.patch), TestSchema());
    ASSERT_TRUE(merged) << c.object << c.patch << " " << merged.error().message;
    EXPECT_EQ(*merged, json::parse(c.merged)) << c.object << c.patch << " " << *merged;
  }
}

TEST(StrategicMerge, RefusesInTheWordsOfAServer) {
  struct Case {
    const char* object;
    const char* patch;
    int status;
    const char* message;
  };
  const Case cases[] = {
      {R"({})", R"({"$patch":"merge"})", 500, "unknown patch type: merge in map: map[$patch:merge]"},
      {R"({"map":{}})", R"({"map":{"$patch":"no"}})", 500, "unknown patch type: no in map: map[$patch:no]"},
      {R"({"list":[{"name":"a"}]})", R"({"list":[{"image":"x"}]})", 500,
       "map: map[image:x] does not contain declared merge key: name"},
      {R"({"list":[{"name":"a"}]})", R"({"list":[{"$patch":"delete"}]})", 500,
       "map: map[$patch:delete] does not contain declared merge key: name"},
      {R"({"list":[{"name":"a"}]})", R"({"list":[{"$patch":"merge","name":"a"}]})", 500,
       "merging lists cannot yet be specified in the patch"},
      {R"({"list":[{"name":"a"}]})", R"({"list":["a"]})", 500,
       "list element types are not identical: [[map[name:a]] [a]]"},
      {R"({"set":["a"]})", R"({"set":[["a"]]})", 500, "list element types are not identical: [[a] [[a]]]"},
      {R"({"set":[]})", R"({"set":[["a"]]})", 422, "lists of lists are not supported"},
      {R"({"struct":{}})", R"({"struct":{"$retainKeys":"a"}})", 400, "invalid patch format of retainKeys"},
      {R"({"struct":{}})", R"({"struct":{"$retainKeys":["a"],"b":"1"}})", 400, "invalid patch format of retainKeys"},
      {R"({"set":["a"]})", R"({"$deleteFromPrimitiveList":["a"]})", 400, "invalid patch format of primitive list"},
      {R"({"set":["a"]})", R"({"$setElementOrder":["a"]})", 400, "invalid patch format of setElementOrder list"},
      {R"({"set":["a"]})", R"({"$setElementOrder/set":"a"})", 500, "expected a []interface {}, but received a string"},
      {R"({"set":["a"]})", R"({"$setElementOrder/set":["a"],"set":["b"]})", 500,
       "The order in patch list:\n[b]\n doesn't match $setElementOrder list:\n[a]\n"},
      {R"({"unknown":{}})", R"({"unknown":{}})", 500,
       R"(unable to find api field in struct Foo for the json field "unknown")"},
      {R"({"map":{"a":{}}})", R"({"map":{"a":{}}})", 500,
       "merging an object in json but data type is not struct, instead is: map"},
  };
  for (const Case& c : cases) {
    const Result<json> merged = StrategicMerge(json::parse(c.object), json::parse(c.patch), TestSchema());
    ASSERT_FALSE(merged) << c.object << c.patch << " " << *merged;
    EXPECT_EQ(merged.error().message, c.message) << c.object << c.patch;
    EXPECT_EQ(merged.error().http_status, c.status) << c.object << c.patch;
  }
}

TEST(StrategicMerge, OfARealKindGoesByItsOwnSchema) {
  const KindSchemaPtr schema = FindBuiltInSchema({"", "v1", "Pod"});
  ASSERT_NE(schema, nullptr);
  const json pod = json::parse(
      R"({"metadata":{"labels":{"a":"1"},"finalizers":["x/a"]},"spec":{"containers":[{"name":"web","image":"1","ports":[{"containerPort":80}],"env":[{"name":"A","value":"1"}]}],"tolerations":[{"key":"k"}],"volumes":[{"name":"v","emptyDir":{}}]}})");
  const json patch = json::parse(
      R"({"metadata":{"finalizers":["x/b"]},"spec":{"containers":[{"name":"web","image":"2","ports":[{"containerPort":81}],"env":[{"name":"B","value":"2"}]}],"tolerations":[{"key":"l"}],"volumes":[{"$retainKeys":["name","configMap"],"name":"v","configMap":{"name":"c"}}]}})");
  const Result<json> merged = StrategicMerge(pod, patch, *schema->root);
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(
      *merged,
      json::parse(
          R"({"metadata":{"labels":{"a":"1"},"finalizers":["x/b","x/a"]},"spec":{"containers":[{"name":"web","image":"2","ports":[{"containerPort":81},{"containerPort":80}],"env":[{"name":"B","value":"2"},{"name":"A","value":"1"}]}],"tolerations":[{"key":"l"}],"volumes":[{"name":"v","configMap":{"name":"c"}}]}})"))
      << *merged;
}

}  // namespace
}  // namespace kinformer::apiserver
