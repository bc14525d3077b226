// Uses the structs that kinformer-gen wrote for testdata.

#include <string>
#include <type_traits>

#include <gtest/gtest.h>

#include <kinformer/api/json.h>
#include <kinformer/meta/kind_info.h>

#include "gen_testdata.h"

namespace kinformer::gen {
namespace {

namespace shop = ::generated::my_shop_example_com;

TEST(GeneratedStructsTest, AnObjectComesBackAsItWas) {
  const std::string json =
      R"({"apiVersion":"my-shop.example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"default"},)"
      R"("spec":{"$ref":"r","1st":"a","api":"b","at":"2024-01-02T03:04:05Z","caBundle":"AAE=","enabled":null,)"
      R"("extra":{"x":["1"]},"firstRef":{"key":{"id":"k"},"name":"n"},"grid":[[1],[2,3]],"limits":{"cpu":"500m"},)"
      R"("linux":true,"name":"n","namespace":"ns","open":{"any":[1]},"port":"http","ratio":0.5,"rest_":"q",)"
      R"("rules":{"a":[{"path":"/"}]},"size":"1Gi","std":"s","x-y":"1","x_y":"2","unknown":{"kept":1}},)"
      R"("status":{"ready":true}})";
  const auto widget = api::Decode<shop::v1::Widget>(json);
  ASSERT_TRUE(widget) << widget.error().message;
  EXPECT_EQ(widget->spec->x_y_, "1");
  EXPECT_EQ(widget->spec->x_y, "2");
  EXPECT_EQ(widget->spec->limits["cpu"].MilliValue(), 500);
  EXPECT_EQ(widget->spec->rules["a"][0].path, "/");
  EXPECT_TRUE(widget->spec->enabled.is_null());
  EXPECT_EQ(api::ToJson(*widget), json);
}

TEST(GeneratedStructsTest, AKindKnowsItsNamesAndItsDefinition) {
  EXPECT_EQ(shop::v1::Widget::kInfo.group, "my-shop.example.com");
  EXPECT_EQ(shop::v1::Widget::kInfo.version, "v1");
  EXPECT_EQ(shop::v1::Widget::kInfo.kind, "Widget");
  EXPECT_EQ(shop::v1::Widget::kInfo.resource, "widgets");
  EXPECT_EQ(shop::v1::Widget::kInfo.scope, Scope::kNamespaced);
  EXPECT_EQ(shop::v1::Gadget::kInfo.scope, Scope::kCluster);
  EXPECT_TRUE(shop::v1::Widget::Crd().starts_with(R"({"apiVersion":"apiextensions.k8s.io/v1")"));
}

TEST(GeneratedStructsTest, PathNamesOfSharedStructsAreTheSameType) {
  static_assert(std::is_same_v<shop::v1::WidgetSpecFirstRef, shop::v1::WidgetSpecRefs>);
  static_assert(!std::is_same_v<shop::v1::WidgetSpecOtherRef, shop::v1::WidgetSpecRefs>);
  const shop::v1::Widget widget{
      .metadata = {.name = "w"},
      .spec = {{.name = "n", .policy = shop::v1::WidgetSpec::Policy::kIf_needed, .secondRef = {{.name = "s"}}}}};
  EXPECT_EQ(api::ToJson(*widget.spec), R"({"name":"n","policy":"if_needed","secondRef":{"name":"s"}})");
}

}  // namespace
}  // namespace kinformer::gen
