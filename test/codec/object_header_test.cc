// Includes only the public header: it must compile on its own, and As must work with a JSON type that is complete only
// where As is called.
#include <kinformer/codec/object.h>
#include <kinformer/codec/watch_event.h>

#include <type_traits>

namespace kinformer {
namespace {

template <typename T>
concept Complete = requires {
  sizeof(T);
};
static_assert(!Complete<nlohmann::json>, "the public headers must not bring in all of nlohmann");

}  // namespace

bool HeaderAlone(const Object& object) { return object.At("/spec").Exists() && object.Labels().empty(); }

}  // namespace kinformer

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kinformer {
namespace {

TEST(ObjectHeaderTest, AsWorksWhenJsonIsCompletedAfterTheHeader) {
  const auto object = Object::Parse(R"({"metadata":{"name":"n"}})");
  ASSERT_TRUE(object);
  const auto decoded = (*object)->As<nlohmann::json>();
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->at("metadata").at("name"), "n");
  EXPECT_FALSE(HeaderAlone(**object));
}

}  // namespace
}  // namespace kinformer
