#ifndef KINFORMER_SRC_CONFIG_PROCESS_H_
#define KINFORMER_SRC_CONFIG_PROCESS_H_

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/base/result.h>

namespace kinformer::internal {

struct ProcessSpec {
  std::string path;                      ///< The executable; not searched in PATH.
  std::vector<std::string> argv;         ///< Includes argv[0].
  std::vector<std::string> environment;  ///< NAME=value
  std::size_t max_stdout = std::size_t{1} << 20;
  std::size_t max_stderr = std::size_t{4} << 10;  ///< Only the end is kept.
  Duration timeout = std::chrono::seconds(60);
};

struct ProcessResult {
  int exit_code = 0;
  int signal = 0;  ///< Non-zero if a signal ended the process.
  std::string out;
  std::string err;
};

/// Runs a program to completion in its own process group, without a shell and with empty standard input.
///
/// Kills the whole group when stopped (kCancelled), at the timeout (kDeadlineExceeded), or if it writes too much to
/// standard output (kTooLarge). On return the program is reaped and all descriptors are closed. Background processes it
/// left are not waited for. kUnreachable if it cannot be started, with the system's message.
Result<ProcessResult> RunProcess(const ProcessSpec& spec, const Clock& clock, const std::stop_token& stop);

/// The file a shell would run for a bare name; `path_list` is the value of PATH. Relative directories in it are
/// skipped, so that nothing in the current directory is run by accident.
std::optional<std::string> FindInPath(const std::string& name, const std::string& path_list);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CONFIG_PROCESS_H_
