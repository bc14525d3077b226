#ifndef KINFORMER_TEST_SUPPORT_SLOW_RESOLVER_H_
#define KINFORMER_TEST_SUPPORT_SLOW_RESOLVER_H_

#include <chrono>
#include <cstddef>

namespace kinformer::testing_support {

/// Link the target kinformer_slow_resolver into a program and every getaddrinfo() in it, those inside libcurl too,
/// takes its time for names that end in ".slow.test" and then fails (EAI_AGAIN); "here.slow.test" is 127.0.0.1 instead.
/// Other names go to the real one.
///
/// The delay is what was last set here, else $KINFORMER_SLOW_RESOLVER_MS, else 2 s. Thread-safe.
void SetSlowResolverDelay(std::chrono::milliseconds delay);
/// Ends the look-ups that wait now.
void ReleaseSlowResolver();
/// Slow look-ups begun so far, and those that wait now.
std::size_t SlowResolverCalls();
std::size_t SlowResolverWaiting();
/// At least n slow look-ups have begun.
bool AwaitSlowResolverCalls(std::size_t n, std::chrono::milliseconds timeout = std::chrono::seconds(10));

}  // namespace kinformer::testing_support

#endif  // KINFORMER_TEST_SUPPORT_SLOW_RESOLVER_H_
