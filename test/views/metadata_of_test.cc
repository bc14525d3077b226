#include <kinformer/views/metadata_of.h>

#include <string_view>
#include <type_traits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/views/apps_v1.h>
#include <kinformer/views/core_v1.h>

#include "test/views/test_objects.h"

namespace kinformer {
namespace {

using apps::v1::Deployment;
using ::testing::HasSubstr;
using testing::Parsed;

constexpr std::string_view kMetadata =
    R"({"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":{"name":"web","namespace":"default",)"
    R"("labels":{"app":"web"}}})";
constexpr std::string_view kDeployment =
    R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"default"},)"
    R"("spec":{"replicas":5}})";

TEST(MetadataOfTest, IsAViewWithTheKindOfItsObjects) {
  static_assert(ObjectView<MetadataOf<Deployment>> && !FullView<MetadataOf<Deployment>>);
  static_assert(ObjectView<Deployment> && FullView<Deployment>);
  EXPECT_EQ(MetadataOf<Deployment>::kInfo.resource, "deployments");
  const auto metadata = MetadataOf<Deployment>::From(Parsed(kMetadata));
  ASSERT_TRUE(metadata.ok()) << ToString(metadata.error());
  EXPECT_EQ(metadata->Name(), "web");
  EXPECT_EQ(metadata->Labels().Find("app"), "web");
  EXPECT_EQ(metadata->At("/metadata/namespace").StringOr(""), "default");
}

TEST(MetadataOfTest, AWholeObjectHasMetadataToo) {
  const Deployment whole = Deployment::From(Parsed(kDeployment)).value();
  const MetadataOf<Deployment> metadata = whole;
  EXPECT_EQ(metadata.Key(), whole.Key());
  EXPECT_TRUE(MetadataOf<Deployment>::From(whole.object()).ok());
}

TEST(MetadataOfTest, RefusesNullAndWholeObjectsOfOtherKinds) {
  EXPECT_EQ(MetadataOf<Deployment>::From(nullptr).error().code, ErrorCode::kInvalidArgument);
  const auto pod = MetadataOf<core::v1::Pod>::From(Parsed(kDeployment));
  ASSERT_FALSE(pod.ok());
  EXPECT_THAT(pod.error().message, HasSubstr("is a apps/v1 Deployment, expected a v1 Pod"));
}

// Replicas() would return the default where the server has 5.
TEST(MetadataOfTest, AViewOfWholeObjectsRefusesMetadataAndSaysSo) {
  const auto refused = Deployment::From(Parsed(kMetadata));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused.error().message,
            "object default/web is metadata only (PartialObjectMetadata), expected a whole apps/v1 Deployment; use "
            "MetadataOf<Deployment>");
}

TEST(MetadataOfTest, AProjectionIsNotMetadataOnly) {
  const ObjectPtr projected = Object::Parse(kDeployment, {.partial = true}).value();
  EXPECT_TRUE(Deployment::From(projected).ok()) << "it has the fields that its transform kept";
}

}  // namespace
}  // namespace kinformer
