#include "test/chaos/process_figures.h"

#include <malloc.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

#include "src/base/block_cache.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KINFORMER_CHAOS_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KINFORMER_CHAOS_SANITIZED
#endif
#ifdef KINFORMER_CHAOS_SANITIZED
#include <sanitizer/allocator_interface.h>
#endif

namespace kinformer::chaos {
namespace {

std::size_t Entries(pid_t pid, const char* folder) {
  std::size_t count = 0;
  std::error_code error;
  std::filesystem::directory_iterator it("/proc/" + std::to_string(pid) + "/" + folder, error);
  for (const std::filesystem::directory_iterator end; !error && it != end; it.increment(error)) ++count;
  return count;
}

}  // namespace

std::size_t HeapInUse() {
#ifdef KINFORMER_CHAOS_SANITIZED
  return __sanitizer_get_current_allocated_bytes() - internal::IdleBlockBytes();
#else
  malloc_trim(0);
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd - internal::IdleBlockBytes();
#endif
}

std::size_t ThreadsOf(pid_t pid) { return Entries(pid, "task"); }

std::size_t ConnectionsAt(int port) {
  // "sl local_address rem_address st ...": addresses in hexadecimal; state 01 is ESTABLISHED, 08 is CLOSE_WAIT.
  std::array<char, 16> local{};
  std::snprintf(local.data(), local.size(), "0100007F:%04X", static_cast<unsigned>(port));
  std::size_t count = 0;
  std::ifstream table("/proc/net/tcp");
  for (std::string line; std::getline(table, line);) {
    std::istringstream fields(line);
    std::string number;
    std::string address;
    std::string peer;
    std::string state;
    fields >> number >> address >> peer >> state;
    if (address == local.data() && (state == "01" || state == "08")) ++count;
  }
  return count;
}

std::size_t ResidentOf(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stoul(line.substr(6));
  }
  return 0;
}

bool Runs(pid_t pid) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
}

}  // namespace kinformer::chaos
