#include <kinformer/codec/object.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace kinformer {

/// A user's own type, decoded through nlohmann.
struct Replicas {
  std::string name;
  int wanted = 0;
};
void from_json(const nlohmann::json& json, Replicas& replicas) {
  json.at("metadata").at("name").get_to(replicas.name);
  json.at("spec").at("replicas").get_to(replicas.wanted);
}

/// A type whose decoder throws something other than a std::exception.
struct Unreadable {};
void from_json(const nlohmann::json&, Unreadable&) { throw 42; }

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

ObjectPtr Parsed(std::string_view text, const ObjectOptions& options = {}) {
  auto object = Object::Parse(text, options);
  EXPECT_TRUE(object) << (object ? "" : object.error().message) << " in " << text;
  return object ? *object : nullptr;
}

std::string Message(std::string_view text, const ObjectOptions& options = {}) {
  const auto object = Object::Parse(text, options);
  if (object) return "no error";
  EXPECT_EQ(object.error().code, ErrorCode::kMalformed);
  return object.error().message;
}

ObjectOptions Defaults(std::string group, std::string version, std::string kind) {
  ObjectOptions options;
  options.default_gvk = {std::move(group), std::move(version), std::move(kind)};
  return options;
}

constexpr std::string_view kDeployment = R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web",
  "namespace":"shop","uid":"u-1","resourceVersion":"42","generation":7,"creationTimestamp":"2026-01-01T00:00:00Z",
  "deletionTimestamp":"2026-01-02T00:00:00Z","labels":{"tier":"front","app":"web"},
  "annotations":{"note":"line\nbreak","a":"b"},"finalizers":["x/y","z"],
  "ownerReferences":[{"apiVersion":"v1","kind":"Set","name":"owner","uid":"u-2","controller":true},
  {"apiVersion":"v1","kind":"Set","name":"other","uid":"u-3","blockOwnerDeletion":true,"extra":[1]}],
  "managedFields":[{"manager":"kubectl"}]},"spec":{"replicas":3}})";

TEST(ObjectTest, MetadataIsReadOnce) {
  const ObjectPtr object = Parsed(kDeployment);
  ASSERT_TRUE(object);
  EXPECT_EQ(object->ApiVersion(), "apps/v1");
  EXPECT_EQ(object->Kind(), "Deployment");
  EXPECT_EQ(object->Gvk(), (GroupVersionKind{"apps", "v1", "Deployment"}));
  EXPECT_EQ(object->Name(), "web");
  EXPECT_EQ(object->GenerateName(), "");
  EXPECT_EQ(object->Namespace(), "shop");
  EXPECT_EQ(object->Key(), (NamespacedName{"shop", "web"}));
  EXPECT_EQ(object->Uid(), "u-1");
  EXPECT_EQ(object->ResourceVersion(), "42");
  EXPECT_EQ(object->Generation(), 7);
  EXPECT_EQ(object->CreationTimestamp(), "2026-01-01T00:00:00Z");
  EXPECT_EQ(object->DeletionTimestamp(), "2026-01-02T00:00:00Z");
  EXPECT_THAT(object->Labels(), ElementsAre(Pair("app", "web"), Pair("tier", "front")));
  EXPECT_THAT(object->Annotations(), ElementsAre(Pair("a", "b"), Pair("note", "line\nbreak")));
  EXPECT_THAT(object->Finalizers(), ElementsAre("x/y", "z"));
  ASSERT_EQ(object->OwnerReferences().size(), 2U);
  EXPECT_EQ(object->OwnerReferences()[0].api_version, "v1");
  EXPECT_EQ(object->OwnerReferences()[0].kind, "Set");
  EXPECT_EQ(object->OwnerReferences()[0].name, "owner");
  EXPECT_EQ(object->OwnerReferences()[0].uid, "u-2");
  EXPECT_TRUE(object->OwnerReferences()[0].controller);
  EXPECT_FALSE(object->OwnerReferences()[0].block_owner_deletion);
  EXPECT_FALSE(object->OwnerReferences()[1].controller);
  EXPECT_TRUE(object->OwnerReferences()[1].block_owner_deletion);
  EXPECT_FALSE(object->IsPartial());
}

TEST(ObjectTest, AbsentMetadataIsEmpty) {
  const ObjectPtr object = Parsed(R"({"kind":"Pod","metadata":{}})");
  ASSERT_TRUE(object);
  EXPECT_EQ(object->Name(), "");
  EXPECT_EQ(object->Gvk(), (GroupVersionKind{"", "", "Pod"}));
  EXPECT_EQ(object->Generation(), 0);
  EXPECT_EQ(object->CreationTimestamp(), std::nullopt);
  EXPECT_EQ(object->DeletionTimestamp(), std::nullopt);
  EXPECT_TRUE(object->Labels().empty());
  EXPECT_TRUE(object->Annotations().empty());
  EXPECT_TRUE(object->Finalizers().empty());
  EXPECT_TRUE(object->OwnerReferences().empty());
}

TEST(ObjectTest, NullsInMetadataAreAsGoodAsAbsent) {
  const ObjectPtr object =
      Parsed(R"({"metadata":{"name":null,"creationTimestamp":null,"labels":null,"annotations":null,"finalizers":null,)"
             R"("ownerReferences":null,"generation":null}})");
  ASSERT_TRUE(object);
  EXPECT_EQ(object->Name(), "");
  EXPECT_EQ(object->CreationTimestamp(), std::nullopt);
  EXPECT_TRUE(object->Labels().empty());
  EXPECT_TRUE(object->Annotations().empty());
}

TEST(ObjectTest, ABookmarkNeedsNoName) {
  const ObjectPtr object = Parsed(
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"12","creationTimestamp":null},"spec":{}})");
  ASSERT_TRUE(object);
  EXPECT_EQ(object->Name(), "");
  EXPECT_EQ(object->ResourceVersion(), "12");
}

TEST(ObjectTest, EscapesInMetadataAreResolved) {
  const ObjectPtr object = Parsed(
      R"({"kind":"\u0050od","metadata":{"\u006eame":"a\"b\\c\/d\u00e9\ud83d\ude00","uid":"plain","generateName":"x\ty",)"
      R"("labels":{"k\u0065y":"v\u0061lue","other":"plain"},"finalizers":["\u0066"],)"
      R"("annotations":{"json":"{\"a\":\"b\"}","\u0061":null},"ownerReferences":[{"name":"o\u006e"}]}})");
  ASSERT_TRUE(object);
  EXPECT_EQ(object->Kind(), "Pod");
  EXPECT_EQ(object->Name(), "a\"b\\c/d\xC3\xA9\xF0\x9F\x98\x80");
  EXPECT_EQ(object->Uid(), "plain");
  EXPECT_EQ(object->GenerateName(), "x\ty");
  EXPECT_THAT(object->Labels(), ElementsAre(Pair("key", "value"), Pair("other", "plain")));
  EXPECT_THAT(object->Finalizers(), ElementsAre("f"));
  EXPECT_EQ(object->OwnerReferences().at(0).name, "on");
  EXPECT_THAT(object->Annotations(), ElementsAre(Pair("a", ""), Pair("json", "{\"a\":\"b\"}")));
  EXPECT_EQ(object->ToJson().at("metadata").at("name").get<std::string>(), object->Name());
}

TEST(ObjectTest, ManagedFieldsAreCutOutOfTheText) {
  for (const std::string_view metadata :
       {R"({"managedFields":[{"a":"}]"}],"name":"n"})", R"({"name":"n","managedFields":[{"a":1}]})",
        R"({"name":"n","managedFields":[],"uid":"u"})", R"({ "managedFields" : [ ] , "name" : "n" })",
        R"({"managedFields":[],"managedFields":[],"name":"n"})", R"({"name":"n","managedFields":1,"managedFields":2})",
        R"({"name":"n","managed\u0046ields":[1]})", R"({"managedFields":[],"name":"n","managedFields":null})"}) {
    const std::string text = R"({"kind":"Pod","metadata":)" + std::string(metadata) + R"(,"spec":{}})";
    const ObjectPtr object = Parsed(text);
    ASSERT_TRUE(object);
    EXPECT_EQ(object->Name(), "n");
    EXPECT_THAT(std::string(object->Json()), ::testing::Not(HasSubstr("ields")));
    nlohmann::json expected = nlohmann::json::parse(text);
    expected["metadata"].erase("managedFields");
    EXPECT_EQ(object->ToJson(), expected) << object->Json();
    EXPECT_FALSE(object->At("/metadata/managedFields").Exists());
    EXPECT_FALSE(object->IsPartial());
  }
  const ObjectPtr only = Parsed(R"({"metadata":{"managedFields":[]}})");
  ASSERT_TRUE(only);
  EXPECT_EQ(only->Json(), R"({"metadata":{}})");
}

TEST(ObjectTest, ManagedFieldsElsewhereAreKept) {
  const std::string_view text =
      R"({"managedFields":1,"metadata":{"name":"n","labels":{"managedFields":"x"}},"spec":{"managedFields":[]}})";
  const ObjectPtr object = Parsed(text);
  ASSERT_TRUE(object);
  EXPECT_EQ(object->Json(), text);
}

TEST(ObjectTest, ManagedFieldsAreKeptWhenAskedFor) {
  ObjectOptions options;
  options.keep_managed_fields = true;
  const ObjectPtr object = Parsed(kDeployment, options);
  ASSERT_TRUE(object);
  EXPECT_EQ(object->Json(), kDeployment);
  EXPECT_EQ(object->At("/metadata/managedFields/0/manager").StringOr(""), "kubectl");
}

TEST(ObjectTest, ManagedFieldsAreValidatedBeforeTheyAreDropped) {
  EXPECT_THAT(Message(R"({"metadata":{"name":"n","managedFields":[{"a":tru}]}})"),
              HasSubstr("(/metadata/managedFields/0/a)"));
}

TEST(ObjectTest, MissingTypeComesFromTheOptionsAlsoInTheText) {
  const ObjectPtr object =
      Parsed(R"({"metadata":{"name":"n","managedFields":[]},"spec":{}})", Defaults("apps", "v1", "Deployment"));
  ASSERT_TRUE(object);
  EXPECT_EQ(object->Json(), R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"n"},"spec":{}})");
  EXPECT_EQ(object->ApiVersion(), "apps/v1");
  EXPECT_EQ(object->Kind(), "Deployment");
  EXPECT_EQ(object->Name(), "n");
  EXPECT_EQ(object->ToJson().at("kind"), "Deployment");
  EXPECT_EQ(object->At("/apiVersion").StringOr(""), "apps/v1");
}

TEST(ObjectTest, OnlyWhatIsMissingIsPutIn) {
  const auto defaults = Defaults("", "v1", "Pod");
  EXPECT_EQ(Parsed(R"({"kind":"Own","metadata":{}})", defaults)->Json(),
            R"({"apiVersion":"v1","kind":"Own","metadata":{}})");
  EXPECT_EQ(Parsed(R"({"apiVersion":"own/v2","metadata":{}})", defaults)->Json(),
            R"({"kind":"Pod","apiVersion":"own/v2","metadata":{}})");
  const std::string_view complete = R"({"apiVersion":"own/v2","kind":"Own","metadata":{}})";
  EXPECT_EQ(Parsed(complete, defaults)->Json(), complete);
}

TEST(ObjectTest, ANullOrEmptyTypeIsReplaced) {
  const ObjectPtr object = Parsed(R"({"kind":null,"metadata":{},"apiVersion":""})", Defaults("", "v1", "Pod"));
  ASSERT_TRUE(object);
  EXPECT_EQ(object->Json(), R"({"apiVersion":"v1","kind":"Pod","metadata":{}})");
  EXPECT_EQ(object->ToJson().at("kind"), "Pod");
}

TEST(ObjectTest, ADefaultTypeThatNeedsEscapesIsEscaped) {
  const ObjectPtr object = Parsed(R"({"metadata":{"name":"n"}})", Defaults("", "v1", "P\"o\\d\n"));
  ASSERT_TRUE(object);
  EXPECT_EQ(object->Kind(), "P\"o\\d\n");
  EXPECT_EQ(object->ToJson().at("kind"), "P\"o\\d\n");
  EXPECT_EQ(object->Name(), "n");
}

TEST(ObjectTest, OfDuplicateKeysTheLastCountsEverywhere) {
  const ObjectPtr object =
      Parsed(R"({"kind":"A","kind":"B","metadata":{"name":"first","uid":"u","labels":{"a":"1"},"finalizers":["f"]},)"
             R"("metadata":{"name":"x","name":"second","labels":{"a":"1"},"labels":{"b":"2","b":"3","a":"0"}},)"
             R"("spec":{"x":1},"spec":{"x":2,"x":3}})");
  ASSERT_TRUE(object);
  const nlohmann::json dom = object->ToJson();
  EXPECT_EQ(object->Kind(), "B");
  EXPECT_EQ(dom.at("kind"), "B");
  EXPECT_EQ(object->Name(), "second");
  EXPECT_EQ(dom.at("metadata").at("name"), "second");
  EXPECT_EQ(object->Uid(), "");
  EXPECT_TRUE(object->Finalizers().empty());
  EXPECT_THAT(object->Labels(), ElementsAre(Pair("a", "0"), Pair("b", "3")));
  EXPECT_EQ(dom.at("metadata").at("labels").at("b"), "3");
  EXPECT_EQ(object->At("/spec/x").IntOr(0), 3);
  EXPECT_EQ(dom.at("spec").at("x"), 3);
  EXPECT_EQ(object->At("/metadata/name").StringOr(""), "second");
}

TEST(ObjectTest, SpecAndStatusAreFoundWhateverStandsAroundThem) {
  const ObjectPtr object = Parsed(
      "{ \"specs\" : {\"x\":1} , \"status\" : [ 5 , 6 ] , \"metadata\" : {\"managedFields\":[{\"spec\":{}}],"
      "\"name\":\"n\"} , \"statusText\":\"t\", \"sp\\u0065c\" : { \"x\" : 2 , \"a/b\" : \"c\" } , \"kind\" : null }",
      Defaults("", "v1", "Pod"));
  ASSERT_TRUE(object);
  EXPECT_EQ(object->At("/spec").Raw(), "{ \"x\" : 2 , \"a/b\" : \"c\" }");
  EXPECT_EQ(object->At("/spec/x").IntOr(0), 2);
  EXPECT_EQ(object->At("/spec/a~1b").StringOr(""), "c");
  EXPECT_FALSE(object->At("/spec/y").Exists());
  EXPECT_FALSE(object->At("/spec/x/y").Exists());
  EXPECT_EQ(object->At("/specs/x").IntOr(0), 1);
  EXPECT_EQ(object->At("/status").Raw(), "[ 5 , 6 ]");
  EXPECT_EQ(object->At("/status/1").IntOr(0), 6);
  EXPECT_EQ(object->At("/statusText").StringOr(""), "t");
  EXPECT_FALSE(Parsed(R"({"metadata":{"name":"n"}})")->At("/spec/x").Exists());
  EXPECT_FALSE(Parsed(R"({"metadata":{"name":"n"}})")->At("/status").Exists());
  EXPECT_EQ(Parsed(R"({"metadata":{"name":"n"},"spec":7})")->At("/spec").IntOr(0), 7);
}

TEST(ObjectTest, MissingMetadataIsAnError) {
  EXPECT_EQ(Message(R"({"kind":"Pod"})"), "object has no metadata at byte 0");
  EXPECT_EQ(Message(R"(  {})"), "object has no metadata at byte 2");
}

TEST(ObjectTest, MetadataOfTheWrongTypeIsAnErrorThatSaysWhere) {
  EXPECT_EQ(Message(R"({"metadata":null})"), "metadata is not an object at byte 12 (/metadata)");
  EXPECT_EQ(Message(R"({"metadata":[]})"), "metadata is not an object at byte 12 (/metadata)");
  EXPECT_EQ(Message(R"({"metadata":{"name":1}})"), "expected a string at byte 20 (/metadata/name)");
  EXPECT_EQ(Message(R"({"metadata":{"namespace":{}}})"), "expected a string at byte 25 (/metadata/namespace)");
  EXPECT_THAT(Message(R"({"metadata":{"resourceVersion":5}})"), HasSubstr("(/metadata/resourceVersion)"));
  EXPECT_THAT(Message(R"({"metadata":{"uid":true}})"), HasSubstr("(/metadata/uid)"));
  EXPECT_THAT(Message(R"({"metadata":{"generation":"7"}})"), HasSubstr("expected an integer"));
  EXPECT_THAT(Message(R"({"metadata":{"generation":1.5}})"), HasSubstr("(/metadata/generation)"));
  EXPECT_THAT(Message(R"({"metadata":{"generation":92233720368547758070}})"), HasSubstr("(/metadata/generation)"));
  EXPECT_THAT(Message(R"({"metadata":{"labels":[]}})"), HasSubstr("(/metadata/labels)"));
  EXPECT_THAT(Message(R"({"metadata":{"labels":{"a":1}}})"), HasSubstr("(/metadata/labels/a)"));
  EXPECT_THAT(Message(R"({"metadata":{"annotations":{"b":{}}}})"), HasSubstr("(/metadata/annotations/b)"));
  EXPECT_THAT(Message(R"({"metadata":{"finalizers":["a",1]}})"), HasSubstr("(/metadata/finalizers/1)"));
  EXPECT_THAT(Message(R"({"metadata":{"finalizers":{}}})"), HasSubstr("(/metadata/finalizers)"));
  EXPECT_THAT(Message(R"({"metadata":{"ownerReferences":{}}})"), HasSubstr("(/metadata/ownerReferences)"));
  EXPECT_THAT(Message(R"({"metadata":{"ownerReferences":[{},7]}})"), HasSubstr("(/metadata/ownerReferences/1)"));
  EXPECT_THAT(Message(R"({"metadata":{"ownerReferences":[{"uid":7}]}})"),
              HasSubstr("(/metadata/ownerReferences/0/uid)"));
  EXPECT_THAT(Message(R"({"metadata":{"ownerReferences":[{"controller":"yes"}]}})"), HasSubstr("/0/controller)"));
  EXPECT_EQ(Message(R"({"kind":7,"metadata":{}})"), "expected a string at byte 8 (/kind)");
  EXPECT_EQ(Message(R"({"apiVersion":[],"metadata":{}})"), "expected a string at byte 14 (/apiVersion)");
}

TEST(ObjectTest, WhatIsNotAnObjectIsAnError) {
  EXPECT_EQ(Message("[]"), "expected a JSON object at byte 0");
  EXPECT_EQ(Message("\"metadata\""), "expected a JSON object at byte 0");
  EXPECT_EQ(Message("null"), "expected a JSON object at byte 0");
  EXPECT_THAT(Message(""), HasSubstr("unexpected end of text"));
  EXPECT_THAT(Message("   "), HasSubstr("unexpected end of text"));
}

TEST(ObjectTest, TextAfterTheObjectIsAnError) {
  EXPECT_EQ(Message(R"({"metadata":{}} x)"), "unexpected text after the value at byte 16");
  EXPECT_THAT(Message(R"({"metadata":{}}{})"), HasSubstr("at byte 15"));
  EXPECT_THAT(Message(R"({"metadata":{}}})"), HasSubstr("at byte 15"));
}

TEST(ObjectTest, SyntaxErrorsInsideMetadataSayWhere) {
  EXPECT_EQ(Message(R"({"metadata":{"name":nul}})"), "expected a value at byte 20 (/metadata/name)");
  EXPECT_EQ(Message(R"({"metadata":{"labels":{"a" "b"}}})"), "expected ':' at byte 27 (/metadata/labels/a)");
  EXPECT_THAT(Message(R"({"metadata":{"name":"n")"), HasSubstr("unexpected end of text"));
  EXPECT_THAT(Message("{\"metadata\":{\"name\":\"\xC3\x28\"}}"), HasSubstr("not valid UTF-8 at byte 21"));
  EXPECT_THAT(Message(R"({"metadata":{"finalizers":["a",]}})"), HasSubstr("/metadata/finalizers"));
}

TEST(ObjectTest, TheTextBeginsAndEndsWithTheObject) {
  EXPECT_EQ(Parsed(" \n{\"metadata\":{}}\r\n ")->Json(), "{\"metadata\":{}}");
}

TEST(ObjectTest, ADomBecomesAnObject) {
  nlohmann::json json = {{"kind", "Pod"}, {"apiVersion", "v1"}, {"metadata", {{"name", "n\n"}}}};
  auto object = Object::FromJson(json);
  ASSERT_TRUE(object);
  EXPECT_EQ((*object)->Name(), "n\n");
  EXPECT_EQ((*object)->ToJson(), json);
}

TEST(ObjectTest, ADomThatCannotBeWrittenIsAnError) {
  nlohmann::json json = {{"metadata", {{"name", "\xFF"}}}};
  auto invalid = Object::FromJson(json);
  ASSERT_FALSE(invalid);
  EXPECT_EQ(invalid.error().code, ErrorCode::kInvalidArgument);

  nlohmann::json deep = 1;
  for (int i = 0; i < 100000; ++i) {
    nlohmann::json outer = nlohmann::json::array();
    outer.push_back(std::move(deep));
    deep = std::move(outer);
  }
  auto too_deep = Object::FromJson(deep);
  ASSERT_FALSE(too_deep);
  EXPECT_THAT(too_deep.error().message, HasSubstr("nested deeper"));
  EXPECT_FALSE(Object::FromJson(nlohmann::json()));
}

TEST(ObjectTest, AsDecodesIntoAUsersType) {
  const ObjectPtr object = Parsed(kDeployment);
  const auto replicas = object->As<Replicas>();
  ASSERT_TRUE(replicas);
  EXPECT_EQ(replicas->name, "web");
  EXPECT_EQ(replicas->wanted, 3);
}

TEST(ObjectTest, WhatADecoderThrowsComesBackAsAnErrorThatNamesTheObject) {
  const ObjectPtr object = Parsed(R"({"kind":"Deployment","metadata":{"name":"web","namespace":"shop"},"spec":{}})");
  const auto replicas = object->As<Replicas>();
  ASSERT_FALSE(replicas);
  EXPECT_EQ(replicas.error().code, ErrorCode::kMalformed);
  EXPECT_THAT(replicas.error().message, HasSubstr("Deployment shop/web cannot be decoded"));
  EXPECT_FALSE(object->As<Unreadable>());
}

TEST(ObjectTest, APartialObjectSaysSo) {
  ObjectOptions options;
  options.partial = true;
  EXPECT_TRUE(Parsed(R"({"metadata":{}})", options)->IsPartial());
}

/// An object whose spec is large enough to be indexed.
std::string WithSpec(const std::string& members) {
  return R"({"kind":"Web","apiVersion":"example.com/v1","metadata":{"name":"n","managedFields":[{"manager":"m"}]},)"
         R"("spec":{"padding":")" +
         std::string(300, 'p') + "\"" + (members.empty() ? "" : ",") + members + R"(},"status":{"phase":"Running"}})";
}

TEST(ObjectTest, FieldsOfALargePartAreFoundWhereverTheyStand) {
  const ObjectPtr object = Parsed(WithSpec(R"("first":1,"list":[{"a":{"b":"deep"}}],"nothing":null,"last":"end")"));
  EXPECT_EQ(object->At("/spec/padding").StringOr("").size(), 300U);
  EXPECT_EQ(object->At("/spec/first").AsInt(), 1);
  EXPECT_EQ(object->At("/spec/list/0/a/b").AsString(), "deep");
  EXPECT_TRUE(object->At("/spec/nothing").IsNull());
  EXPECT_EQ(object->At("/spec/last").AsString(), "end");
  EXPECT_FALSE(object->At("/spec/fir").Exists());
  EXPECT_FALSE(object->At("/spec/").Exists());
  EXPECT_FALSE(object->At("/spec/last/more").Exists());
  EXPECT_FALSE(object->At("/spec/a~x").Exists());
  EXPECT_EQ(object->At("/spec").Size(), 5U);
  EXPECT_EQ(object->At("/status/phase").AsString(), "Running");
}

TEST(ObjectTest, FieldsOfALargePartAreFoundBetweenSpaces) {
  const ObjectPtr object = Parsed(WithSpec(" \"a\" : 1 ,\n\t\"b\"\t:\n{ \"c\" : [ 2 ] } , \"d\" : \"x\"  "));
  EXPECT_EQ(object->At("/spec/a").Raw(), "1");
  EXPECT_EQ(object->At("/spec/b").Raw(), "{ \"c\" : [ 2 ] }");
  EXPECT_EQ(object->At("/spec/b/c/0").AsInt(), 2);
  EXPECT_EQ(object->At("/spec/d").Raw(), "\"x\"");
}

TEST(ObjectTest, OfEqualFieldsOfALargePartTheLastCounts) {
  const ObjectPtr object = Parsed(WithSpec(R"("a":1,"b":0,"a":2)"));
  EXPECT_EQ(object->At("/spec/a").AsInt(), 2);
}

TEST(ObjectTest, FieldsOfALargePartAreFoundByWhatTheirEscapesMean) {
  const ObjectPtr object = Parsed(WithSpec(R"("no\u0064e":"n1","a/b":3,"c~d":4,"e\\f":5)"));
  EXPECT_EQ(object->At("/spec/node").AsString(), "n1");
  EXPECT_EQ(object->At("/spec/a~1b").AsInt(), 3);
  EXPECT_EQ(object->At("/spec/c~0d").AsInt(), 4);
  EXPECT_EQ(object->At("/spec/e\\f").AsInt(), 5);
  const ObjectPtr plain = Parsed(WithSpec(R"("a/b":3,"c~d":4)"));
  EXPECT_EQ(plain->At("/spec/a~1b").AsInt(), 3);
  EXPECT_EQ(plain->At("/spec/c~0d").AsInt(), 4);
}

TEST(ObjectTest, FieldsOfAPartWithVeryManyAreFoundToo) {
  std::string members;
  for (int i = 0; i < 500; ++i) members += (i == 0 ? "\"f" : ",\"f") + std::to_string(i) + "\":" + std::to_string(i);
  const ObjectPtr object = Parsed(WithSpec(members));
  for (const int i : {0, 63, 64, 499}) EXPECT_EQ(object->At("/spec/f" + std::to_string(i)).AsInt(), i);
}

TEST(ObjectTest, OfTwoPartsOfOneNameTheLastCounts) {
  std::string text = WithSpec(R"("a":1)");
  text.insert(text.size() - 1, R"(,"spec":{"a":2})");
  EXPECT_EQ(Parsed(text)->At("/spec/a").AsInt(), 2);
  text.insert(text.size() - 1, R"(,"spec":null)");
  EXPECT_FALSE(Parsed(text)->At("/spec/a").Exists());
  EXPECT_TRUE(Parsed(text)->At("/spec").IsNull());
}

TEST(ObjectTest, MemoryIsTheTextAndLittleElse) {
  std::string text = R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"n","labels":{"a":"b"}},"data":{)";
  for (int i = 0; i < 100; ++i) text += "\"key-" + std::to_string(i) + "\":\"" + std::string(60, 'v') + "\",";
  text += R"("last":""}})";
  const ObjectPtr object = Parsed(text);
  EXPECT_GE(object->MemoryUsage(), text.size());
  EXPECT_LT(object->MemoryUsage(), text.size() + 600);
}

TEST(ObjectTest, ThreadsMayAskForAnnotationsAtTheSameTime) {
  const ObjectPtr object = Parsed(R"({"metadata":{"annotations":{"b":"x\ny","a":"plain"}}})");
  std::vector<std::jthread> threads;
  std::vector<const StringMap*> seen(8);
  for (const StringMap*& map : seen) threads.emplace_back([&object, &map] { map = &object->Annotations(); });
  threads.clear();
  for (const StringMap* map : seen) {
    EXPECT_EQ(map, seen.front());
    EXPECT_EQ(map->Find("b"), "x\ny");
  }
}

TEST(StringMapTest, EntriesAreFoundByKey) {
  const StringMap map({{"b", "2"}, {"a", "1"}, {"c", "3"}});
  EXPECT_EQ(map.size(), 3U);
  EXPECT_EQ(map.Find("a"), "1");
  EXPECT_EQ(map.Find("c"), "3");
  EXPECT_EQ(map.Find("d"), std::nullopt);
  EXPECT_TRUE(map.Contains("b"));
  EXPECT_FALSE(map.Contains(""));
}

TEST(StringMapTest, OfEqualKeysTheLastGivenWins) {
  const StringMap map({{"a", "1"}, {"b", "2"}, {"a", "3"}, {"b", "4"}, {"a", "5"}});
  EXPECT_THAT(map, ElementsAre(Pair("a", "5"), Pair("b", "4")));
}

}  // namespace
}  // namespace kinformer
