#ifndef KINFORMER_SRC_CLIENT_PROCESS_H_
#define KINFORMER_SRC_CLIENT_PROCESS_H_

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/base/result.h>

namespace kinformer::internal {

struct ProcessSpec {
  std::string path;                      ///< What is run; not looked up anywhere.
  std::vector<std::string> argv;         ///< argv[0] included.
  std::vector<std::string> environment;  ///< NAME=value
  std::size_t max_stdout = std::size_t{1} << 20;
  std::size_t max_stderr = std::size_t{4} << 10;  ///< The last of it is kept.
  Duration timeout = std::chrono::seconds(60);
};

struct ProcessResult {
  int exit_code = 0;
  int signal = 0;  ///< Not 0 if a signal ended it.
  std::string out;
  std::string err;
};

/// Runs a program to its end, without a shell and with an empty standard input, in a process group of its own.
///
/// When stopped (kCancelled), out of time (kDeadlineExceeded) or too talkative (kTooLarge), the whole group is killed.
/// On return the program is reaped and all descriptors are closed. What it left running in the background is not
/// waited for. kUnreachable if it cannot be started; the message is the system's.
Result<ProcessResult> RunProcess(const ProcessSpec& spec, const Clock& clock, const std::stop_token& stop);

/// The file that a shell would run for a bare name; `path_list` is PATH's value. Relative folders in it are skipped,
/// so that nothing in the current directory is run by accident.
std::optional<std::string> FindInPath(const std::string& name, const std::string& path_list);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CLIENT_PROCESS_H_
