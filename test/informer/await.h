#ifndef KINFORMER_TEST_INFORMER_AWAIT_H_
#define KINFORMER_TEST_INFORMER_AWAIT_H_

#include <chrono>
#include <thread>

namespace kinformer {

/// True as soon as the condition is; false after ten seconds.
template <typename Condition>
bool Await(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace kinformer

#endif  // KINFORMER_TEST_INFORMER_AWAIT_H_
