#ifndef KINFORMER_TEST_SUPPORT_LEAK_CHECK_H_
#define KINFORMER_TEST_SUPPORT_LEAK_CHECK_H_

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace kinformer::testing_support {

/// Threads of this process now, and their names.
std::size_t ThreadCount();
std::vector<std::string> ThreadNames();
/// Open file descriptors of this process now, and what each is: "7 -> socket:[123]".
std::size_t OpenFdCount();
std::vector<std::string> OpenFds();

/// Waits until no more than `count` threads are left. A joined thread is gone from the process's books a moment after
/// its join returns, hence a wait; it ends as soon as the count is right.
bool AwaitThreadCount(std::size_t count, std::chrono::milliseconds timeout = std::chrono::seconds(2));
bool AwaitOpenFdCount(std::size_t count, std::chrono::milliseconds timeout = std::chrono::seconds(2));

/// From here on each test suite must leave no more threads and open file descriptors behind than it found; a failure
/// names them. Once for a program (every_suite.cc does it); more calls do nothing. Always true, so that it can be said
/// outside of any function.
bool InstallLeakCheck();

}  // namespace kinformer::testing_support

#endif  // KINFORMER_TEST_SUPPORT_LEAK_CHECK_H_
