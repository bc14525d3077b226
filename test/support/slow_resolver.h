#ifndef KINFORMER_TEST_SUPPORT_SLOW_RESOLVER_H_
#define KINFORMER_TEST_SUPPORT_SLOW_RESOLVER_H_

#include <chrono>
#include <cstddef>

namespace kinformer::testing_support {

/// In a program linked with the target kinformer_slow_resolver, every getaddrinfo(), including those inside libcurl, is
/// slow for names ending in ".slow.test" and then fails (EAI_AGAIN), except that "here.slow.test" resolves to
/// 127.0.0.1. Other names go to the real function.
///
/// The delay is what was last set here, else $KINFORMER_SLOW_RESOLVER_MS, else 2 s. Thread-safe.
void SetSlowResolverDelay(std::chrono::milliseconds delay);
/// Ends the lookups in progress.
void ReleaseSlowResolver();
/// Slow lookups started so far, and those in progress.
std::size_t SlowResolverCalls();
std::size_t SlowResolverWaiting();
/// Waits until at least n slow lookups have started.
bool AwaitSlowResolverCalls(std::size_t n, std::chrono::milliseconds timeout = std::chrono::seconds(10));

}  // namespace kinformer::testing_support

#endif  // KINFORMER_TEST_SUPPORT_SLOW_RESOLVER_H_
