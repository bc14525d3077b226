#include "test/support/slow_resolver.h"

#include <dlfcn.h>
#include <netdb.h>

#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string_view>

namespace kinformer::testing_support {

namespace {

constexpr std::string_view kSlowSuffix = ".slow.test";
constexpr std::string_view kFoundAtLast = "here.slow.test";
constexpr std::chrono::milliseconds kDefaultDelay{2000};

struct State {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<std::chrono::milliseconds> delay;
  std::uint64_t releases = 0;
  std::size_t calls = 0;
  std::size_t waiting = 0;
};

// Never destroyed: resolver threads may outlive static objects.
State& TheState() {
  static State* const state = new State;
  return *state;
}

std::chrono::milliseconds DelayFromEnvironment() {
  const char* text = std::getenv("KINFORMER_SLOW_RESOLVER_MS");
  return text == nullptr ? kDefaultDelay : std::chrono::milliseconds(std::strtol(text, nullptr, 10));
}

void WaitAsASlowServerWould() {
  State& state = TheState();
  std::unique_lock lock(state.mutex);
  ++state.calls;
  ++state.waiting;
  state.changed.notify_all();
  const std::uint64_t release = state.releases;
  state.changed.wait_for(lock, state.delay ? *state.delay : DelayFromEnvironment(),
                         [&] { return state.releases != release; });
  --state.waiting;
}

}  // namespace

void SetSlowResolverDelay(std::chrono::milliseconds delay) {
  const std::lock_guard lock(TheState().mutex);
  TheState().delay = delay;
}

void ReleaseSlowResolver() {
  const std::lock_guard lock(TheState().mutex);
  ++TheState().releases;
  TheState().changed.notify_all();
}

std::size_t SlowResolverCalls() {
  const std::lock_guard lock(TheState().mutex);
  return TheState().calls;
}

std::size_t SlowResolverWaiting() {
  const std::lock_guard lock(TheState().mutex);
  return TheState().waiting;
}

bool AwaitSlowResolverCalls(std::size_t n, std::chrono::milliseconds timeout) {
  std::unique_lock lock(TheState().mutex);
  return TheState().changed.wait_for(lock, timeout, [&] { return TheState().calls >= n; });
}

}  // namespace kinformer::testing_support

// Replaces libc's function: symbols are resolved in link order, libc last. A sanitizer's interceptor in the program
// itself comes first and calls this one.
extern "C" __attribute__((visibility("default"))) int getaddrinfo(const char* node, const char* service,
                                                                  const addrinfo* hints, addrinfo** result) {
  using kinformer::testing_support::kSlowSuffix;
  std::string_view name = node == nullptr ? std::string_view() : std::string_view(node);
  if (name.ends_with('.')) name.remove_suffix(1);
  if (name.ends_with(kSlowSuffix)) {
    kinformer::testing_support::WaitAsASlowServerWould();
    if (name != kinformer::testing_support::kFoundAtLast) return EAI_AGAIN;
    node = "127.0.0.1";
  }
  using Real = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
  static const Real real = reinterpret_cast<Real>(dlsym(RTLD_NEXT, "getaddrinfo"));
  return real == nullptr ? EAI_SYSTEM : real(node, service, hints, result);
}
