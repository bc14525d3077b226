#include "test/support/nghttpx.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "test/support/fd.h"

namespace kinformer::testing_support {

HelperProcess::HelperProcess(const std::vector<std::string>& command, const std::string& log_file) {
  // Allocates before the fork: other threads may hold locks, so the child may only make system calls.
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const Fd log(open(log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  int failure_pipe[2] = {-1, -1};
  if (!log || pipe2(failure_pipe, O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "HelperProcess");
  }
  const Fd failure_in(failure_pipe[0]);
  Fd failure_out(failure_pipe[1]);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    signal(SIGPIPE, SIG_DFL);
    dup2(log.get(), STDOUT_FILENO);
    dup2(log.get(), STDERR_FILENO);
    execvp(arguments[0], arguments.data());
    const int failure = errno;
    [[maybe_unused]] const ssize_t written = write(failure_out.get(), &failure, sizeof failure);
    _exit(127);
  }
  failure_out.Reset();
  int failure = 0;
  if (read(failure_in.get(), &failure, sizeof failure) == static_cast<ssize_t>(sizeof failure)) {
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
    throw std::system_error(failure, std::generic_category(), command[0]);
  }
}

HelperProcess::~HelperProcess() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool HelperProcess::Running() {
  if (pid_ <= 0) return false;
  if (waitpid(pid_, nullptr, WNOHANG) == 0) return true;
  pid_ = -1;
  return false;
}

bool HelperProcess::AwaitExit(std::chrono::milliseconds timeout) {
  if (!Running()) return true;
  const Fd process(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  pollfd exited{process.get(), POLLIN, 0};
  poll(&exited, 1, PollTimeout(std::chrono::steady_clock::now() + timeout));
  return !Running();
}

namespace {

std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

int FreePort() { return LocalPort(ListenOnLoopback().get()); }

bool Accepts(int port) {
  const Fd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

std::string FindNghttpx() {
  // Distributions install it in sbin directories, which may not be in a user's PATH.
  const char* path = std::getenv("PATH");
  std::string folders = std::string(path == nullptr ? "" : path) + ":/usr/sbin:/usr/bin:/usr/local/bin";
  for (std::size_t start = 0; start < folders.size();) {
    const std::size_t end = std::min(folders.find(':', start), folders.size());
    std::string candidate = folders.substr(start, end - start) + "/nghttpx";
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
    start = end + 1;
  }
  throw std::runtime_error("nghttpx is not installed (Debian: package nghttp2-proxy)");
}

}  // namespace

Http2Front::Http2Front(const Http2FrontOptions& options) {
  const std::string program = FindNghttpx();
  std::optional<TestCa> own;
  if (options.ca == nullptr) own.emplace();
  const TestCa& ca = own ? *own : *options.ca;
  ca_pem_ = ca.CertPem();
  const CertificateAndKey identity = ca.IssueServer(options.certificate);
  const std::string cert = dir_.Write("tls.crt", identity.cert_pem);
  const std::string key = dir_.Write("tls.key", identity.key_pem);
  const std::string no_config = dir_.Write("nghttpx.conf", "");

  // Another process may take the port before nghttpx binds it; nghttpx then exits, and another port is tried.
  constexpr int kAttempts = 5;
  std::string log;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const int port = FreePort();
    const std::string log_file = dir_.Write("log" + std::to_string(attempt), "");
    std::vector<std::string> command = {
        program,
        "--conf=" + no_config,
        "--frontend=127.0.0.1," + std::to_string(port),
        "--backend=127.0.0.1," + std::to_string(options.backend_port) + (options.backend_tls ? ";;tls" : ""),
        "--insecure",
        "--workers=1",
        "--no-ocsp",
        "--no-via",
        "--no-location-rewrite",
        "--no-server-rewrite",
        "--host-rewrite",
        "--log-level=NOTICE",
        "--frontend-http2-max-concurrent-streams=" + std::to_string(options.max_concurrent_streams),
        "--backend-connections-per-frontend=0",
        "--backend-read-timeout=1h",
        "--backend-write-timeout=1h",
        "--frontend-http2-read-timeout=1h",
        "--frontend-read-timeout=1h",
        "--frontend-write-timeout=1h",
        "--stream-write-timeout=0",
    };
    if (options.max_requests_per_connection > 0) {
      command.push_back("--frontend-max-requests=" + std::to_string(options.max_requests_per_connection));
    }
    if (!options.can_shut_down) command.emplace_back("--single-process");
    command.insert(command.end(), options.extra_arguments.begin(), options.extra_arguments.end());
    command.push_back(key);
    command.push_back(cert);
    process_ = std::make_unique<HelperProcess>(command, log_file);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < deadline && process_->Running()) {
      // The log proves that it is nghttpx that accepts on this port, not another process.
      if (ReadAll(log_file).find("Listening on 127.0.0.1:" + std::to_string(port)) != std::string::npos &&
          Accepts(port)) {
        proxy_ = std::make_unique<FaultProxy>(port);
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    process_.reset();
    log = ReadAll(log_file);
  }
  throw std::runtime_error("nghttpx does not start: " + log);
}

Http2Front::~Http2Front() = default;

void Http2Front::BeginShutdown() { ::kill(process_->pid(), SIGQUIT); }

std::string Http2Front::url() const { return "https://127.0.0.1:" + std::to_string(port()); }

}  // namespace kinformer::testing_support
