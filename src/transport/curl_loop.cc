#include "src/transport/curl_loop.h"

#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <utility>

namespace kinformer::internal {
namespace {

constexpr auto kLongestPoll = std::chrono::minutes(10);

Error TransportClosed() { return Error{.code = ErrorCode::kCancelled, .message = "the transport was closed"}; }

}  // namespace

CurlLoop::CurlLoop(CurlTransportOptions options, Endpoint endpoint)
    : options_(std::move(options)),
      endpoint_(std::move(endpoint)),
      commands_([this] { multi_->Wake(); }),
      health_(options_.health),
      guard_(options_.max_flood_time),
      admission_(/*speaks_http1=*/!endpoint_.IsTls()),
      multi_(std::make_unique<CurlMulti>()) {}

void CurlLoop::StartThread() {
  thread_.Start([self = shared_from_this()](const std::stop_token& stop) { self->Run(stop); });
}

void CurlLoop::Stop() {
  thread_.RequestStop();
  commands_.Wake();
  thread_.Stop();
}

std::uint64_t CurlLoop::Start(Request request, const std::shared_ptr<Exchange>& exchange) {
  auto transfer = std::make_unique<CurlTransfer>(std::move(request), endpoint_, options_, exchange);
  const std::uint64_t id = next_id_.fetch_add(1);
  transfer->id = id;
  if (!commands_.Push({CommandKind::kStart, id, std::move(transfer)})) exchange->Finish(TransportClosed());
  return id;
}

void CurlLoop::Cancel(std::uint64_t id) { commands_.Push({CommandKind::kCancel, id}); }

void CurlLoop::Continue(std::uint64_t id) { commands_.Push({CommandKind::kContinue, id}); }

CurlTransportStats CurlLoop::Stats() const {
  return {.connections_opened = connections_.opened(),
          .connections_open = connections_.open(),
          .requests_in_flight = active_.load()};
}

void CurlLoop::Run(const std::stop_token& stop) {
  pthread_setname_np(pthread_self(), "kinformer-io");
  // A write to a closed socket must not kill the process, whatever the user does with signals.
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);

  guard_.StopWhen(stop);
  while (!stop.stop_requested()) {
    ServeCommands();
    do {
      Admit();
      guard_.Progress(Clock::System()->Now());
      multi_->Perform();
      TakeFinished();
    } while (MayAdmit());
    if (guard_.TakeEnded()) {
      options_.logger.Warning("transport",
                              "closing a connection: the server floods it with data that belongs to no request",
                              {{"server", endpoint_.Authority()}});
    }
    const TimePoint now = Clock::System()->Now();
    EndOverdue(now);
    CheckConnections(now);
    multi_->Poll(PollTimeout(now));
  }
  ShutDown();
}

void CurlLoop::ShutDown() {
  for (const Command& command : commands_.Close()) {
    if (command.transfer) command.transfer->exchange().Finish(TransportClosed());
  }
  for (const auto& transfer : waiting_) transfer->exchange().Finish(TransportClosed());
  while (!transfers_.empty()) Remove(transfers_.begin(), CURLE_ABORTED_BY_CALLBACK, TransportClosed());
  multi_.reset();
}

void CurlLoop::ServeCommands() {
  for (Command& command : commands_.TakeAll()) {
    if (command.kind == CommandKind::kStart) {
      command.transfer->Begin(*this, Clock::System()->Now());
      active_.fetch_add(1);
      waiting_.push_back(std::move(command.transfer));
      continue;
    }
    if (command.kind == CommandKind::kCancel && DropWaiting(command.id)) continue;
    const auto it = transfers_.find(command.id);
    if (it == transfers_.end()) continue;
    if (command.kind == CommandKind::kCancel) {
      Remove(it, CURLE_ABORTED_BY_CALLBACK, Error{.code = ErrorCode::kCancelled, .message = "cancelled"});
    } else {
      Resume(*it->second);
    }
  }
}

void CurlLoop::Resume(CurlTransfer& transfer) {
  const TimePoint now = Clock::System()->Now();
  transfer.last_byte = now;
  if (transfer.paused && transfer.connection != 0) health_.OnPaused(transfer.connection, false, now);
  transfer.Continue();
}

bool CurlLoop::MayAdmit() const {
  if (waiting_.empty()) return false;
  return admission_.MayConnect() || (admission_.MayShare() && connections_.IsUsedWith(waiting_.front()->tls()));
}

void CurlLoop::Admit() {
  while (MayAdmit()) {
    std::unique_ptr<CurlTransfer> transfer = std::move(waiting_.front());
    waiting_.pop_front();
    transfer->shares = !admission_.MayConnect();
    // Otherwise it would wait inside libcurl for the connection that is being established.
    if (transfer->shares) curl_easy_setopt(transfer->handle(), CURLOPT_PIPEWAIT, 0L);
    Pass(std::move(transfer));
  }
}

void CurlLoop::TakeBack(std::uint64_t id) {
  const auto it = transfers_.find(id);
  std::unique_ptr<CurlTransfer> transfer = std::move(it->second);
  transfers_.erase(it);
  admission_.OnTakenBack(id);
  transfer->shares = false;
  transfer->refused_socket = false;
  multi_->Remove(transfer->handle());
  curl_easy_setopt(transfer->handle(), CURLOPT_PIPEWAIT, 1L);
  waiting_.push_front(std::move(transfer));
}

bool CurlLoop::DropWaiting(std::uint64_t id) {
  const auto it =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& transfer) { return transfer->id == id; });
  if (it == waiting_.end()) return false;
  waiting_.erase(it);
  active_.fetch_sub(1);
  return true;
}

void CurlLoop::Pass(std::unique_ptr<CurlTransfer> transfer) {
  CURL* handle = transfer->handle();
  curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, &CurlLoop::OpenSocket);
  curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, static_cast<void*>(transfer.get()));
  curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, &CurlLoop::CloseSocket);
  curl_easy_setopt(handle, CURLOPT_CLOSESOCKETDATA, static_cast<void*>(this));
  if (endpoint_.IsTls()) guard_.Watch(handle);
  admission_.OnPassed(transfer->id, transfer->shares);
  const std::uint64_t id = transfer->id;
  transfers_.emplace(id, std::move(transfer));
  multi_->Add(handle);
}

void CurlLoop::Remove(Transfers::iterator it, CURLcode code, const std::optional<Error>& error) {
  const std::unique_ptr<CurlTransfer> transfer = std::move(it->second);
  transfers_.erase(it);
  if (transfer->connection != 0) {
    if (transfer->paused) health_.OnPaused(transfer->connection, false, Clock::System()->Now());
    health_.StreamLeft(transfer->connection, transfer->request().resumable);
  }
  admission_.OnEnded(transfer->id, /*had_connection=*/transfer->connection != 0);
  multi_->Remove(transfer->handle());
  active_.fetch_sub(1);
  transfer->Finish(code, error);
}

void CurlLoop::TakeFinished() {
  while (const std::optional<CurlMulti::Finished> finished = multi_->NextFinished()) {
    const CurlTransfer& transfer = CurlTransfer::Of(finished->handle);
    if (transfer.refused_socket) {
      TakeBack(transfer.id);
      continue;
    }
    if (transfer.probe_for != 0 && finished->code == CURLE_OK) health_.ProbeAnswered(transfer.probe_for);
    const std::optional<Error> lost = connections_.LostError(transfer.connection);
    Remove(transfers_.find(transfer.id), finished->code, lost);
  }
}

void CurlLoop::EndOverdue(TimePoint now) {
  for (auto it = transfers_.begin(); it != transfers_.end();) {
    const auto current = it++;
    const std::optional<TimePoint> deadline = current->second->Deadline();
    if (deadline && *deadline <= now) {
      Remove(current, CURLE_OPERATION_TIMEDOUT, current->second->DeadlineError());
    }
  }
  std::erase_if(waiting_, [&](const std::unique_ptr<CurlTransfer>& transfer) {
    const TimePoint deadline = WaitingDeadline(*transfer);
    if (now < deadline) return false;
    active_.fetch_sub(1);
    transfer->Finish(CURLE_OPERATION_TIMEDOUT,
                     transfer->Deadline() == deadline ? std::optional(transfer->DeadlineError()) : std::nullopt);
    return true;
  });
}

// While a request waits for another one's connection, the connect timeout applies to it too.
TimePoint CurlLoop::WaitingDeadline(const CurlTransfer& transfer) const {
  const TimePoint connect = SaturatingAdd(transfer.begun(), options_.connect_timeout);
  return std::min(connect, transfer.Deadline().value_or(connect));
}

std::chrono::milliseconds CurlLoop::PollTimeout(TimePoint now) const {
  Duration wait = kLongestPoll;
  for (const auto& [id, transfer] : transfers_) {
    if (const auto deadline = transfer->Deadline()) wait = std::min(wait, *deadline - now);
  }
  for (const auto& transfer : waiting_) wait = std::min(wait, WaitingDeadline(*transfer) - now);
  if (const auto tick = health_.NextTick()) wait = std::min(wait, *tick - now);
  return std::chrono::ceil<std::chrono::milliseconds>(std::max(wait, Duration::zero()));
}

void CurlLoop::CheckConnections(TimePoint now) {
  for (const ConnectionHealth::Action& action : health_.Tick(now)) {
    const ConnectionTable::Connection* connection = connections_.Find(action.connection);
    if (connection == nullptr) continue;
    if (action.kind == ConnectionHealth::ActionKind::kProbe) {
      Probe(action.connection, *connection);
    } else {
      EndSilent(action.connection, *connection);
    }
  }
}

void CurlLoop::Probe(ConnectionTable::Id id, const ConnectionTable::Connection& connection) {
  auto transfer = std::make_unique<CurlTransfer>(
      Request{.method = "GET",
              .target = options_.probe_target,
              .timeout = std::chrono::duration_cast<std::chrono::milliseconds>(options_.health.probe_timeout),
              .tls = connection.tls},
      endpoint_, options_, std::make_shared<Exchange>(options_.queue_bytes));
  transfer->id = next_id_.fetch_add(1);
  transfer->probe_for = id;
  transfer->Begin(*this, Clock::System()->Now());
  active_.fetch_add(1);
  Pass(std::move(transfer));
}

void CurlLoop::EndSilent(ConnectionTable::Id id, const ConnectionTable::Connection& connection) {
  const auto silent = std::chrono::duration_cast<std::chrono::milliseconds>(options_.health.probe_after +
                                                                            options_.health.probe_timeout);
  connections_.SetLost(id, Error{.code = ErrorCode::kDisconnected,
                                 .message = "connection to " + endpoint_.Authority() + " was silent for " +
                                            std::to_string(silent.count()) + " ms and did not answer a probe"});
  options_.logger.Warning("transport", "closing a connection that has gone silent",
                          {{"server", endpoint_.Authority()}});
  // libcurl closes the socket; this makes every stream on it fail, and prevents new ones from being put there.
  shutdown(connection.socket, SHUT_RDWR);
}

void CurlLoop::OnConnection(CurlTransfer& transfer, int local_port) {
  admission_.OnPlaced(transfer.id);
  // If that connection turns out to be dead, libcurl may open another one.
  transfer.shares = false;
  const ConnectionTable::Id id = connections_.FindByLocalPort(local_port);
  if (id == 0) return;
  // libcurl moves a request if the connection it was put on turns out to be dead.
  if (transfer.connection != 0) health_.StreamLeft(transfer.connection, transfer.request().resumable);
  transfer.connection = id;
  if (connections_.Use(id, transfer.tls())) admission_.OnConnectionEstablished();
  health_.StreamJoined(id, Clock::System()->Now(), transfer.request().resumable);
}

void CurlLoop::OnBytes(CurlTransfer& transfer) {
  const TimePoint now = Clock::System()->Now();
  transfer.last_byte = now;
  guard_.Progress(now);
  if (transfer.connection != 0) health_.OnData(transfer.connection, now);
}

void CurlLoop::OnPaused(CurlTransfer& transfer) {
  if (transfer.connection != 0) health_.OnPaused(transfer.connection, true, Clock::System()->Now());
}

curl_socket_t CurlLoop::OpenSocket(void* for_transfer, curlsocktype, curl_sockaddr* address) {
  auto& transfer = *static_cast<CurlTransfer*>(for_transfer);
  if (transfer.shares) {
    transfer.refused_socket = true;
    return CURL_SOCKET_BAD;
  }
  const int socket_fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  if (socket_fd < 0) return CURL_SOCKET_BAD;
  static_cast<CurlLoop&>(transfer.observer()).connections_.Open(socket_fd);
  return socket_fd;
}

int CurlLoop::CloseSocket(void* self, curl_socket_t socket_fd) {
  auto& loop = *static_cast<CurlLoop*>(self);
  if (const ConnectionTable::Id id = loop.connections_.Close(socket_fd); id != 0) loop.health_.Closed(id);
  return close(socket_fd);
}

}  // namespace kinformer::internal
