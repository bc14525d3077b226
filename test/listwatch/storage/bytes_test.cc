#include <string>

#include <gtest/gtest.h>

#include "src/base/block_cache.h"
#include "src/listwatch/storage/backend.h"

namespace kinformer::apiserver {
namespace {

TEST(BytesTest, AreACopyOfTheText) {
  using std::string_literals::operator""s;
  for (const std::string& text : {""s, "a"s, "with\0nothing"s, std::string(5000, 'x'), std::string(100'000, 'y')}) {
    std::string given = text;
    const Bytes bytes = MakeBytes(given);
    given.assign(given.size(), '?');
    EXPECT_EQ(*bytes, text);
  }
}

TEST(BytesTest, TheNextOfTheirSizeTakesTheirPlace) {
  const Bytes kept = MakeBytes(std::string(3000, 'a'));
  Bytes first = MakeBytes(std::string(3000, 'b'));
  const std::string_view* const place = first.get();
  first.reset();
  const Bytes next = MakeBytes(std::string(2990, 'c'));
  // Under AddressSanitizer, blocks are not recycled but returned to malloc.
  const bool recycles = internal::BlockBytes(3000) != 3000;
  EXPECT_EQ(next.get() == place, recycles);
  EXPECT_EQ(*next, std::string(2990, 'c'));
  EXPECT_EQ(*kept, std::string(3000, 'a'));
}

}  // namespace
}  // namespace kinformer::apiserver
