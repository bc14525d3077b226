#include "test/support/leak_check.h"
#include "test/support/await.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <system_error>
#include <thread>

namespace kinformer::testing_support {

namespace {

template <typename Describe>
std::vector<std::string> Entries(const char* folder, Describe describe) {
  std::vector<std::string> entries;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::string text = describe(it->path());
    if (!text.empty()) entries.push_back(std::move(text));
  }
  return entries;
}

bool AwaitAtMost(std::size_t count, std::chrono::milliseconds timeout, const std::function<std::size_t()>& now) {
  return Await([&] { return now() <= count; }, timeout);
}

// A sanitizer starts its own thread together with the program's first one. Triggers that early, so that it does not
// look like a leak of the first test.
void StartTheSanitizersThread() {
  static const bool started = [] {
    pid_t id = 0;
    std::thread([&id] { id = gettid(); }).join();
    const std::string task = "/proc/self/task/" + std::to_string(id);
    return AwaitAtMost(0, std::chrono::seconds(2), [&task] { return std::filesystem::exists(task) ? 1U : 0U; });
  }();
  static_cast<void>(started);
}

std::string Join(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "\n  " + line;
  return text;
}

class LeakListener : public ::testing::EmptyTestEventListener {
 public:
  void OnTestSuiteStart(const ::testing::TestSuite&) override {
    threads_ = ThreadCount();
    fds_ = OpenFdCount();
  }
  void OnTestSuiteEnd(const ::testing::TestSuite& suite) override {
    if (!AwaitThreadCount(threads_)) {
      ADD_FAILURE() << suite.name() << " began with " << threads_ << " threads and left:" << Join(ThreadNames());
    }
    if (!AwaitOpenFdCount(fds_)) {
      ADD_FAILURE() << suite.name() << " began with " << fds_ << " open files and left:" << Join(OpenFds());
    }
  }

 private:
  std::size_t threads_ = 0;
  std::size_t fds_ = 0;
};

}  // namespace

std::vector<std::string> ThreadNames() {
  StartTheSanitizersThread();
  return Entries("/proc/self/task", [](const std::filesystem::path& task) {
    std::ifstream comm(task / "comm");
    std::string name;
    // A thread that has ended meanwhile has no name.
    return std::getline(comm, name) ? task.filename().string() + " " + name : std::string();
  });
}

std::size_t ThreadCount() { return ThreadNames().size(); }

std::vector<std::string> OpenFds() {
  return Entries("/proc/self/fd", [](const std::filesystem::path& fd) {
    std::error_code error;
    const std::string target = std::filesystem::read_symlink(fd, error).string();
    // Skips the descriptor used to list this directory.
    if (error || (target.starts_with("/proc/") && target.ends_with("/fd"))) return std::string();
    return fd.filename().string() + " -> " + target;
  });
}

std::size_t OpenFdCount() { return OpenFds().size(); }

bool AwaitThreadCount(std::size_t count, std::chrono::milliseconds timeout) {
  return AwaitAtMost(count, timeout, ThreadCount);
}

bool AwaitOpenFdCount(std::size_t count, std::chrono::milliseconds timeout) {
  return AwaitAtMost(count, timeout, OpenFdCount);
}

bool InstallLeakCheck() {
  static const bool installed = [] {
    ::testing::UnitTest::GetInstance()->listeners().Append(new LeakListener);
    return true;
  }();
  return installed;
}

}  // namespace kinformer::testing_support
