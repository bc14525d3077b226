#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include <fstream>
#include <iostream>

#include <kinformer/apiserver/api_server.h>

#include "bench/kinformer_load/benchmarks.h"

namespace kinformer::bench {

Result<void> RunPlainServer(const LoadCommandLine& line) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  sigset_t signals{};
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  // Before any other thread is created, so that all threads inherit the mask.
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  ApiServer server({.tls = false});
  if (auto started = server.Start(); !started) return started;
  if (auto written = server.WriteKubeconfig(line.kubeconfig_out); !written) return written;
  {
    const auto mask = ::umask(077);
    std::ofstream file(line.token_out, std::ios::trunc);
    ::umask(mask);
    if (!(file << server.Token().Reveal() << std::flush)) {
      return Error{.code = ErrorCode::kInvalidArgument, .message = "cannot write " + line.token_out};
    }
  }
  std::cout << "serving on " << server.Url() << std::endl;
  int signal = 0;
  sigwait(&signals, &signal);
  return {};
}

}  // namespace kinformer::bench
