#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kinformer/api/json.h>

#include "test/api/example_objects.h"
#include "test/api/example_types.h"

namespace kinformer::api {
namespace {

using example::v1::Container;
using example::v1::Deployment;
using example::v1::Pod;
using example::v1::PodSpec;
using example::v1::WidgetSpec;
using ::testing::ElementsAre;

static_assert(!std::is_convertible_v<const char*, Field<bool>> && !std::is_convertible_v<int, Field<bool>>);
static_assert(!std::is_convertible_v<double, Field<std::int64_t>> && !std::is_convertible_v<bool, Field<std::int64_t>>);
static_assert(!std::is_convertible_v<std::nullptr_t, Field<std::string>>);
static_assert(!std::is_convertible_v<std::nullptr_t, Field<Quantity>> && !std::is_convertible_v<bool, Field<Quantity>>);
static_assert(!std::is_convertible_v<const char*, Field<Bytes>> && !std::is_convertible_v<char, Field<std::int64_t>>);
static_assert(!std::is_convertible_v<std::uint64_t, Field<std::int64_t>> &&
              !std::is_convertible_v<std::size_t, Field<std::int64_t>> &&
              !std::is_convertible_v<std::size_t, IntOrString> &&
              !std::is_convertible_v<std::size_t, Field<IntOrString>>);
static_assert(std::is_convertible_v<std::uint32_t, Field<std::int64_t>> &&
              std::is_convertible_v<std::uint16_t, IntOrString> && std::is_convertible_v<std::size_t, Quantity>);
static_assert(!std::is_constructible_v<bool, Field<bool>> && std::is_constructible_v<bool, Field<std::int64_t>>);
static_assert(std::is_nothrow_move_constructible_v<Pod> && std::is_nothrow_move_constructible_v<Container>);

TEST(StructTest, IsBuiltWithDesignatedInitializers) {
  const std::string_view name = "web";
  const std::string image = "nginx:1.27";
  const Deployment web{
      .metadata = {.name = name, .labels = {{"app", "web"}}},
      .spec =
          {{.replicas = 3,
            .selector = {{.matchLabels = {{"app", "web"}}}},
            .template_ = {{.metadata = {{.labels = {{"app", "web"}}}},
                           .spec = {{.containers = {{.name = "web", .image = image, .ports = {{.containerPort = 80}}}},
                                     .volumes = {{.name = "tmp", .emptyDir = kEmpty}}}}}}}},
  };
  EXPECT_EQ(
      ToJson(web),
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"labels":{"app":"web"},"name":"web"},)"
      R"("spec":{"replicas":3,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},)"
      R"("spec":{"containers":[{"image":"nginx:1.27","name":"web","ports":[{"containerPort":80}]}],)"
      R"("volumes":[{"emptyDir":{},"name":"tmp"}]}}}})");
}

TEST(StructTest, APatchNamesOnlyWhatItChanges) {
  const Deployment patch{.spec = {{.paused = kNull, .replicas = 5}}};
  EXPECT_EQ(ToJson(patch), R"({"apiVersion":"apps/v1","kind":"Deployment","spec":{"paused":null,"replicas":5}})");
  EXPECT_EQ(ToJson(PodSpec{.affinity = kNull, .containers = kNull, .nodeSelector = kNull}),
            R"({"affinity":null,"containers":null,"nodeSelector":null})");
}

TEST(StructTest, EmptyIsNotAbsent) {
  EXPECT_EQ(ToJson(PodSpec{.affinity = {}, .containers = {}, .nodeSelector = {}}), "{}");
  EXPECT_EQ(ToJson(PodSpec{.affinity = kEmpty, .containers = kEmpty, .nodeSelector = kEmpty}),
            R"({"affinity":{},"containers":[],"nodeSelector":{}})");
  EXPECT_EQ(ToJson(PodSpec{.affinity = example::v1::Affinity{}}), R"({"affinity":{}})");
  EXPECT_EQ(ToJson(PodSpec{.affinity = {{}}, .containers = {{}}}), R"({"affinity":{},"containers":[{}]})");
  EXPECT_EQ(ToJson(Deployment{}), R"({"apiVersion":"apps/v1","kind":"Deployment"})");
}

TEST(StructTest, OnlyTheRootCarriesItsKind) {
  const WidgetSpec spec{.pods = {{.metadata = {.name = "a"}}}};
  EXPECT_EQ(ToJson(spec), R"({"pods":[{"metadata":{"name":"a"}}]})");
  const auto read = Decode<WidgetSpec>(R"({"pods":[{"apiVersion":"v1","kind":"Pod"}]})").value();
  EXPECT_EQ(ToJson(read), R"({"pods":[{"apiVersion":"v1","kind":"Pod"}]})");
  EXPECT_EQ(ToJson(read.pods[0]), R"({"apiVersion":"v1","kind":"Pod"})");
}

TEST(FieldTest, IsAbsentNullOrAValue) {
  Field<std::int64_t> field;
  EXPECT_FALSE(field.has_value());
  EXPECT_FALSE(field.is_null());
  EXPECT_EQ(*field, 0);
  EXPECT_EQ(field.value_or(7), 7);
  field = kNull;
  EXPECT_TRUE(field.is_null());
  EXPECT_EQ(field, kNull);
  EXPECT_EQ(field.value_or(7), 7);
  field = std::uint32_t{3};
  EXPECT_TRUE(field);
  EXPECT_EQ(field, 3);
  EXPECT_NE(field, 4);
  EXPECT_EQ(field.value_or(7), 3);
  field = {};
  EXPECT_FALSE(field);
  EXPECT_EQ(field, Field<std::int64_t>());
}

TEST(FieldTest, ComparesWithTextWithoutAmbiguity) {
  Field<std::string> field = "web";
  EXPECT_TRUE(field == "web");
  EXPECT_TRUE("web" == field);
  EXPECT_TRUE(field == std::string("web"));
  EXPECT_TRUE(field == std::string_view("web"));
  EXPECT_TRUE(field != "other");
  EXPECT_FALSE(Field<std::string>() == "");
  EXPECT_EQ(field->size(), 3U);
  EXPECT_EQ(field.value_or("x"), "web");
  std::string long_text(100, 'x');
  const char* const data = long_text.data();
  field = std::move(long_text);
  EXPECT_EQ(field->data(), data) << "it was copied";
}

TEST(FieldTest, AMovedOneIsAbsentAndReadsAsItsDefault) {
  auto entry = Decode<example::v1::ManagedFieldsEntry>(R"({"fieldsV1":{"a":1},"manager":"m"})").value();
  const auto moved = std::move(entry);
  EXPECT_EQ(ToJson(moved), R"({"fieldsV1":{"a":1},"manager":"m"})");
  EXPECT_EQ(ToJson(entry), "{}");
  EXPECT_EQ(*entry.fieldsV1, RawJson());
  Field<Quantity> quantity = Quantity::FromNumber("12345678901234567890123");
  const auto moved_quantity = std::move(quantity);
  EXPECT_TRUE(moved_quantity->IsNumber());
  EXPECT_FALSE(quantity.has_value());
  EXPECT_EQ(*quantity, Quantity());
  Field<std::int64_t> number = 7;
  Field<std::int64_t> other = kNull;
  other = std::move(number);
  EXPECT_EQ(other, 7);
  EXPECT_FALSE(number.has_value());
  EXPECT_EQ(*number, 0);
  auto& same = other;
  other = std::move(same);
  EXPECT_EQ(other, 7);
  Field<IntOrString> port = "http";
  const auto moved_port = std::move(port);
  EXPECT_EQ(*port, IntOrString());
}

TEST(RawJsonTest, AMovedOneIsNull) {
  auto raw = RawJson::Parse(R"({"a":"long enough for the heap"})").value();
  const auto moved = std::move(raw);
  EXPECT_EQ(raw.text(), "null");
  Rest rest;
  rest.Set("x", raw);
  EXPECT_EQ(rest.ToJson(), R"({"x":null})");
  List<RawJson> list;
  list.push_back(raw);
  EXPECT_EQ(ToJson(list), "[null]");
}

TEST(FieldTest, TakesWhatConvertsToItsType) {
  const auto at = std::chrono::sys_days(std::chrono::year(2026) / 1 / 5);
  const WidgetSpec spec{.caBundle = Bytes::FromData("x"),
                        .deadlines = {at, "2026-01-05T10:00:00Z"},
                        .enabled = {{"a", true}},
                        .ports = {80, "http"},
                        .ratio = 2,
                        .renewTime = at,
                        .timeout = std::chrono::minutes(2)};
  EXPECT_EQ(ToJson(spec),
            R"({"caBundle":"eA==","deadlines":["2026-01-05T00:00:00Z","2026-01-05T10:00:00Z"],"enabled":{"a":true},)"
            R"("ports":[80,"http"],"ratio":2,"renewTime":"2026-01-05T00:00:00.000000Z","timeout":"2m0s"})");
}

TEST(PartTest, ReadsAsEmptyWhileItIsAbsent) {
  const PodSpec spec;
  const PodSpec other;
  EXPECT_FALSE(spec.securityContext->runAsNonRoot.value_or(false));
  EXPECT_FALSE(spec.affinity->podAffinity->preferredDuringSchedulingIgnoredDuringExecution.has_value());
  EXPECT_FALSE(spec.affinity);
  EXPECT_EQ(&*spec.affinity, &*other.affinity) << "the same empty struct for all";
}

TEST(PartTest, CopiesAreDeepAndMovesLeaveItAbsent) {
  PodSpec spec{.affinity = kEmpty, .securityContext = {{.runAsUser = 1}}};
  PodSpec copy = spec;
  copy.securityContext->runAsUser = 2;
  EXPECT_EQ(spec.securityContext->runAsUser, 1);
  EXPECT_NE(copy, spec);
  const auto* const address = &*std::as_const(spec).securityContext;
  const PodSpec moved = std::move(spec);
  EXPECT_EQ(&*moved.securityContext, address);
  EXPECT_TRUE(moved.affinity);
  copy = moved;
  EXPECT_EQ(copy, moved);
  copy.securityContext = kNull;
  EXPECT_TRUE(copy.securityContext.is_null());
  copy.securityContext->runAsUser = 3;
  EXPECT_FALSE(copy.securityContext.is_null());
  copy.securityContext = {};
  EXPECT_EQ(ToJson(copy), R"({"affinity":{}})");
}

TEST(PartTest, CanBeAssignedFromItsOwnInside) {
  example::v1::SchemaProps schema{.not_ = {{.not_ = {{.type = "inner"}}}}};
  schema.not_ = schema.not_->not_;
  EXPECT_EQ(ToJson(schema), R"({"not":{"type":"inner"}})");
  schema.allOf = {{.allOf = {{.type = "deep"}}}};
  schema.allOf = std::move(schema.allOf[0].allOf);
  EXPECT_EQ(schema.allOf[0].type, "deep");
  schema.properties.Set("a", {.properties = {{"b", {.type = "deeper"}}}});
  schema.properties = std::move(schema.properties.Find("a")->properties);
  EXPECT_EQ(schema.properties["b"].type, "deeper");
}

TEST(ListTest, TakesRangesAndInitializerLists) {
  const std::vector<std::string> words = {"a", "b"};
  EXPECT_THAT(List<std::string>(words), ElementsAre("a", "b"));
  EXPECT_THAT(List<std::string>(std::set<std::string_view>{"y", "x"}), ElementsAre("x", "y"));
  EXPECT_THAT(List<std::string>(std::list<const char*>{"x"}), ElementsAre("x"));
  EXPECT_THAT(List<std::int64_t>(std::vector<int>{1, 2}), ElementsAre(1, 2));
  EXPECT_TRUE(List<std::string>(std::vector<std::string>()).has_value());
  const Container container{.args = {"a", words[1], std::string_view("c")}, .command = {{"two", "words"}}};
  EXPECT_THAT(container.args, ElementsAre("a", "b", "c"));
  EXPECT_THAT(container.command, ElementsAre("two", "words"));
}

TEST(ListTest, GrowsShrinksAndKeepsItsElements) {
  List<Container> list;
  EXPECT_FALSE(list.has_value());
  for (int i = 0; i < 100; ++i) list.push_back({.name = std::to_string(i), .args = {std::string(40, 'x')}});
  list.emplace_back().name = "last";
  EXPECT_EQ(list.size(), 101U);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(list[i].name, std::to_string(i));
  EXPECT_EQ(list.back().name, "last");
  EXPECT_EQ(list.erase(list.begin())->name, "1");
  const Container* const after = list.erase(list.end() - 1);
  EXPECT_EQ(after, list.end());
  EXPECT_EQ(list.front().name, "1");
  EXPECT_EQ(list.size(), 99U);
  const List<Container> copy = list;
  list.clear();
  EXPECT_TRUE(list.has_value());
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(copy.size(), 99U);
  EXPECT_NE(copy, list);
  EXPECT_NE(list, List<Container>());
  EXPECT_EQ(list, List<Container>(kEmpty));
}

TEST(MapTest, IsSortedAndTakesAnyMap) {
  const std::unordered_map<std::string, std::string> unsorted = {{"c", "3"}, {"a", "1"}, {"b", "2"}};
  const Map<std::string> map = unsorted;
  EXPECT_EQ(ToJson(map), R"({"a":"1","b":"2","c":"3"})");
  EXPECT_EQ(map, Map<std::string>(std::map<std::string, std::string_view>{{"a", "1"}, {"b", "2"}, {"c", "3"}}));
  EXPECT_EQ(ToJson(Map<std::int64_t>{{"x", 1}, {"x", 2}}), R"({"x":2})");
  EXPECT_EQ(ToJson(Map<Quantity>{{"cpu", "500m"}, {"pods", 5}}), R"({"cpu":"500m","pods":"5"})");
  EXPECT_EQ(ToJson(Map<List<std::string>>{{"k", {"a", "b"}}}), R"({"k":["a","b"]})");
}

// Takes long if it is quadratic.
TEST(MapTest, IsReadAndMadeFromManyKeysInAnyOrder) {
  constexpr int kCount = 20000;
  std::vector<std::pair<std::string, std::string>> pairs;
  std::string text = "{";
  for (int i = kCount; i > 0; --i) {
    pairs.emplace_back("k" + std::to_string(kCount + i), std::to_string(i));
    text += (i == kCount ? "\"" : ",\"") + pairs.back().first + "\":\"" + pairs.back().second + '"';
  }
  text += "}";
  const auto map = Decode<Map<std::string>>(text).value();
  ASSERT_EQ(map.size(), pairs.size());
  EXPECT_TRUE(map == Map<std::string>(pairs));
  EXPECT_EQ(map["k20001"], "1");
  EXPECT_EQ(map["k40000"], "20000");
  EXPECT_TRUE(std::is_sorted(map.begin(), map.end(), [](const auto& a, const auto& b) { return a.first < b.first; }));
}

TEST(MapTest, TheLastOfEqualKeysWins) {
  const std::vector<std::pair<const char*, const char*>> pairs = {{"b", "1"}, {"a", "2"}, {"b", "3"}, {"a", "4"}};
  EXPECT_EQ(ToJson(Map<std::string>(pairs)), R"({"a":"4","b":"3"})");
  EXPECT_EQ(ToJson(Map<std::string>{{"b", "1"}, {"a", "2"}, {"b", "3"}, {"a", "4"}}), R"({"a":"4","b":"3"})");
  EXPECT_EQ(ToJson(Decode<Map<List<std::string>>>(R"({"b":["1"],"a":["2"],"b":["3"],"a":[]})").value()),
            R"({"a":[],"b":["3"]})");
}

TEST(MapTest, AddsFindsAndErases) {
  Map<Container> map;
  for (int i = 99; i >= 0; --i) map.Set(std::to_string(i), {.name = std::to_string(i)});
  EXPECT_EQ(map.size(), 100U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(map[std::to_string(i)].name, std::to_string(i));
  EXPECT_EQ(map.Find("100"), nullptr);
  map.Find("42")->name = "changed";
  EXPECT_EQ(std::as_const(map)["42"].name, "changed");
  EXPECT_TRUE(map.erase("0"));
  EXPECT_FALSE(map.erase("0"));
  EXPECT_FALSE(map.contains("0"));
  const Map<Container> copy = map;
  EXPECT_EQ(copy, map);
  map.Set("42", {});
  EXPECT_NE(copy, map);
  std::string previous;
  for (const auto& [key, value] : copy) {
    EXPECT_LT(previous, key);
    previous = key;
  }
  map.clear();
  EXPECT_EQ(ToJson(map), "{}");
}

TEST(RestTest, CanBeReadAndChanged) {
  auto spec = Decode<PodSpec>(R"({"a":1,"b":[ 2 , 3 ],"c":"x,\"y"})").value();
  EXPECT_EQ(spec.rest_.Find("b"), "[2,3]");
  EXPECT_EQ(spec.rest_.Find("c"), R"("x,\"y")");
  EXPECT_EQ(spec.rest_.Find("d"), "");
  spec.rest_.Set("b", RawJson::Parse("{}").value());
  spec.rest_.Set("quo\"te", RawJson::From(example::v1::PodIP{.ip = "1"}));
  EXPECT_TRUE(spec.rest_.Contains("quo\"te"));
  spec.rest_.Erase("a");
  EXPECT_EQ(spec.rest_.ToJson(), R"({"c":"x,\"y","b":{},"quo\"te":{"ip":"1"}})");
  EXPECT_EQ(ToJson(spec), spec.rest_.ToJson());
  spec.rest_.Erase("quo\"te");
  spec.rest_.Erase("b");
  spec.rest_.Erase("c");
  EXPECT_TRUE(spec.rest_.empty());
  EXPECT_EQ(spec, PodSpec());
}

TEST(RestTest, ANameMayLieInItsOwnText) {
  auto spec = Decode<PodSpec>(R"({"a":"b","bb":7})").value();
  const std::string_view quoted = spec.rest_.Find("a");
  spec.rest_.Set(quoted.substr(1, 1), RawJson::Parse(R"("a value that does not fit into what is reserved")").value());
  EXPECT_EQ(spec.rest_.ToJson(), R"({"a":"b","bb":7,"b":"a value that does not fit into what is reserved"})");
  spec.rest_.Set("\xFF", RawJson::Parse("1").value());
  spec.rest_.Set("\xFF", RawJson::Parse("2").value());
  EXPECT_EQ(spec.rest_.Find("\xEF\xBF\xBD"), "2");
  spec.rest_.Erase("\xEF\xBF\xBD");
  EXPECT_FALSE(spec.rest_.Contains("\xEF\xBF\xBD"));
}

TEST(RestTest, ComparesInAnyOrder) {
  const auto read = [](std::string_view text) { return Decode<PodSpec>(text).value(); };
  EXPECT_EQ(read(R"({"a":1,"b":2})"), read(R"({"b":2, "a": 1})"));
  EXPECT_NE(read(R"({"a":1,"b":2})"), read(R"({"a":1})"));
  EXPECT_NE(read(R"({"a":1})"), read(R"({"a":1,"b":2})"));
  EXPECT_NE(read(R"({"a":1})"), read(R"({"a":2})"));
}

TEST(CompareTest, AnElementThatIsAListOrMapIsNeverAbsent) {
  WidgetSpec spec{.extra = {{"k", {}}}};
  spec.grid.emplace_back();
  EXPECT_EQ(ToJson(spec), R"({"extra":{"k":[]},"grid":[[]]})");
  EXPECT_EQ(Decode<WidgetSpec>(ToJson(spec)).value(), spec);
  EXPECT_NE(List<List<std::int64_t>>{kNull}, List<List<std::int64_t>>{kEmpty});
  EXPECT_EQ(List<List<std::int64_t>>{kNull}, List<List<std::int64_t>>{kNull});
}

TEST(CompareTest, NumbersThatAreWrittenAsNullAreEqual) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const List<double> list{kNan};
  EXPECT_TRUE(list == list);
  EXPECT_TRUE(list == List<double>{kInfinity});
  EXPECT_FALSE(list == List<double>{1.0});
  const Field<double> field = kNan;
  EXPECT_TRUE(field == field);
  EXPECT_FALSE(field == Field<double>(kNull));
  const WidgetSpec spec{.ratio = kNan};
  EXPECT_TRUE(spec == WidgetSpec{.ratio = kNan});
}

TEST(CompareTest, TimesAndAmountsCountByTheirMeaning) {
  const auto read = [](std::string_view text) { return Decode<WidgetSpec>(text).value(); };
  EXPECT_EQ(read(R"({"timeout":"60s"})"), read(R"({"timeout":"1m"})"));
  EXPECT_EQ(read(R"({"ratio":1.0})"), read(R"({"ratio":1})"));
  EXPECT_EQ(Decode<Map<Quantity>>(R"({"cpu":"1000m"})").value(), Decode<Map<Quantity>>(R"({"cpu":1})").value());
}

TEST(WriteTest, EscapesAndReplacesWhatJsonCannotContain) {
  const example::v1::EnvVar env{.name = std::string_view("\0\x1f\"\\\n\t/\x7f", 8),
                                .value = "\xC3\xA9\xFF\xE2\x82 \xF0\x9F\x98\x80"};
  EXPECT_EQ(ToJson(env),
            "{\"name\":\"\\u0000\\u001f\\\"\\\\\\n\\t/\x7f\",\"value\":\"\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD "
            "\xF0\x9F\x98\x80\"}");
  EXPECT_EQ(Decode<example::v1::EnvVar>(ToJson(env))->name, *env.name);
  EXPECT_EQ(ToJson(Map<bool>{{"a\"b", true}}), R"({"a\"b":true})");
}

TEST(WriteTest, NumbersAreExact) {
  EXPECT_EQ(ToJson(List<std::int64_t>{std::numeric_limits<std::int64_t>::min(), std::int64_t{0}}),
            "[-9223372036854775808,0]");
  EXPECT_EQ(ToJson(List<double>{0.1, 1e300, -2.5, 1.0}), "[0.1,1e+300,-2.5,1]");
  EXPECT_EQ(ToJson(List<double>{std::numeric_limits<double>::infinity()}), "[null]");
}

}  // namespace
}  // namespace kinformer::api
