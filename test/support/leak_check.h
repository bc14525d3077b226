#ifndef KINFORMER_TEST_SUPPORT_LEAK_CHECK_H_
#define KINFORMER_TEST_SUPPORT_LEAK_CHECK_H_

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace kinformer::testing_support {

/// Current number of threads of this process, and their names.
std::size_t ThreadCount();
std::vector<std::string> ThreadNames();
/// Current number of open file descriptors of this process, and their targets, as "7 -> socket:[123]".
std::size_t OpenFdCount();
std::vector<std::string> OpenFds();

/// Waits until at most `count` threads are left. A thread disappears from /proc slightly after its join returns. False
/// on timeout.
bool AwaitThreadCount(std::size_t count, std::chrono::milliseconds timeout = std::chrono::seconds(2));
bool AwaitOpenFdCount(std::size_t count, std::chrono::milliseconds timeout = std::chrono::seconds(2));

/// From here on, no test suite may leave more threads or open file descriptors behind than it found; a failure names
/// them. Call once per program (every_suite.cc does); further calls do nothing. Always returns true, so that it can
/// initialize a global.
bool InstallLeakCheck();

}  // namespace kinformer::testing_support

#endif  // KINFORMER_TEST_SUPPORT_LEAK_CHECK_H_
