#include "bench/kinformer_bench/process_usage.h"

#include <sys/resource.h>

#include <fstream>
#include <limits>
#include <string>

namespace kinformer::bench {
namespace {

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

/// A number from /proc/self/status; 0 if absent.
double StatusNumber(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string name; status >> name;) {
    double number = 0;
    if (name == field + ":") return status >> number ? number : 0;
    status.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

constexpr double kMegabytesPerKib = 1024 / 1e6;

}  // namespace

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
}

double ResidentMegabytes() { return StatusNumber("VmRSS") * kMegabytesPerKib; }

double PeakResidentMegabytes() { return StatusNumber("VmHWM") * kMegabytesPerKib; }

bool ResetPeak() {
  std::ofstream clear("/proc/self/clear_refs");
  clear << "5";
  return static_cast<bool>(clear.flush());
}

std::size_t Threads() { return static_cast<std::size_t>(StatusNumber("Threads")); }

}  // namespace kinformer::bench
