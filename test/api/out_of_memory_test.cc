// What stays of a Rest if memory runs out. This file replaces the program's operator new, which ThreadSanitizer's
// runtime defines itself.

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KINFORMER_TEST_OWN_OPERATOR_NEW 0
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define KINFORMER_TEST_OWN_OPERATOR_NEW 0
#endif
#if !defined(KINFORMER_TEST_OWN_OPERATOR_NEW)

#include <cstdlib>
#include <new>
#include <string>

#include <gtest/gtest.h>
#include <kinformer/api/json.h>

#include "test/api/example_types.h"

namespace kinformer::api {
namespace {

/// The allocations of this thread that succeed until one fails; negative: all.
thread_local int allocations_left = -1;

}  // namespace
}  // namespace kinformer::api

void* operator new(std::size_t size) {
  int& left = kinformer::api::allocations_left;
  if (left == 0) throw std::bad_alloc();
  if (left > 0) --left;
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return std::malloc(size == 0 ? 1 : size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

namespace kinformer::api {
namespace {

TEST(RestTest, StaysAsItWasIfMemoryRunsOut) {
  const std::string name = "a name that does not fit into a string itself";
  const auto value = RawJson::Parse('"' + std::string(100, 'y') + '"').value();
  for (const char* const before :
       {"{}", R"({"first":1})", R"({"first":1,"a name that does not fit into a string itself":2})"}) {
    const auto original = Decode<example::v1::PodSpec>(before).value().rest_;
    bool is_done = false;
    for (int allowed = 0; !is_done; ++allowed) {
      Rest rest = original;
      allocations_left = allowed;
      try {
        rest.Set(name, value);
        is_done = true;
      } catch (const std::bad_alloc&) {
        is_done = false;
      }
      allocations_left = -1;
      EXPECT_EQ(rest.Find(name), is_done ? value.text() : original.Find(name));
      if (!is_done) {
        EXPECT_EQ(rest.ToJson(), before) << "after " << allowed << " allocations";
      }
      ASSERT_LT(allowed, 100);
    }
  }
}

}  // namespace
}  // namespace kinformer::api

#endif  // KINFORMER_TEST_OWN_OPERATOR_NEW
