#ifndef KINFORMER_TEST_SUPPORT_AWAIT_H_
#define KINFORMER_TEST_SUPPORT_AWAIT_H_

#include <chrono>
#include <thread>

#include "test/support/patience.h"

namespace kinformer::testing_support {

/// Polls. True as soon as the condition holds; false if it does not within `patience`. More patient than waits for a
/// signal: the poll competes with the work that it waits for.
template <typename Condition>
bool Await(Condition condition, std::chrono::milliseconds patience = 3 * kPatience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return true;
}

}  // namespace kinformer::testing_support

#endif  // KINFORMER_TEST_SUPPORT_AWAIT_H_
