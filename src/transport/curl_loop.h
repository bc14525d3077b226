#ifndef KINFORMER_SRC_TRANSPORT_CURL_LOOP_H_
#define KINFORMER_SRC_TRANSPORT_CURL_LOOP_H_

// In:     commands, from any thread
// Out:    the progress of transfers, into their Exchanges
// Thread: one of its own (the I/O thread)
// Next:   the consumer of each Exchange

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "src/base/owned_thread.h"
#include "src/transport/admission.h"
#include "src/transport/command_queue.h"
#include "src/transport/connection_health.h"
#include "src/transport/connection_table.h"
#include "src/transport/curl_multi.h"
#include "src/transport/curl_transfer.h"
#include "src/transport/flood_guard.h"

namespace kinformer::internal {

/// The I/O thread of a CurlTransport: passes requests to libcurl and ends them. Which request may be passed on is
/// decided by Admission, which connections exist is known to ConnectionTable, and whether they are alive to
/// ConnectionHealth.
///
/// Streams share it, so that they may outlive the transport; so does the thread itself, because a callback on it may
/// destroy the transport.
///
/// @par Thread Safety
/// All public functions may be called from any thread.
class CurlLoop final : private TransferObserver, public std::enable_shared_from_this<CurlLoop> {
 public:
  CurlLoop(CurlTransportOptions options, Endpoint endpoint);
  ~CurlLoop() override = default;
  CurlLoop(const CurlLoop&) = delete;
  CurlLoop& operator=(const CurlLoop&) = delete;

  const CurlTransportOptions& options() const { return options_; }

  void StartThread();
  /// Cancels all requests. Joins, unless it is called on the I/O thread, which then ends on its own. Afterwards
  /// commands are ignored.
  void Stop();

  /// Returns an id for Cancel and Continue.
  std::uint64_t Start(Request request, const std::shared_ptr<Exchange>& exchange);
  void Cancel(std::uint64_t id);
  /// The reader has made room again.
  void Continue(std::uint64_t id);

  CurlTransportStats Stats() const;

 private:
  enum class CommandKind { kStart, kCancel, kContinue };
  struct Command {
    CommandKind kind;
    std::uint64_t id;
    std::unique_ptr<CurlTransfer> transfer{};
  };
  using Transfers = std::unordered_map<std::uint64_t, std::unique_ptr<CurlTransfer>>;

  // All below run on the I/O thread.
  void Run(const std::stop_token& stop);
  void ShutDown();
  void ServeCommands();
  void Resume(CurlTransfer& transfer);

  /// Passes waiting requests to libcurl, as far as Admission allows.
  void Admit();
  bool MayAdmit() const;
  /// Makes a request that could not share a connection wait again.
  void TakeBack(std::uint64_t id);
  bool DropWaiting(std::uint64_t id);
  void Pass(std::unique_ptr<CurlTransfer> transfer);
  void Remove(Transfers::iterator it, CURLcode code, const std::optional<Error>& error);
  void TakeFinished();

  void EndOverdue(TimePoint now);
  TimePoint WaitingDeadline(const CurlTransfer& transfer) const;
  std::chrono::milliseconds PollTimeout(TimePoint now) const;

  void CheckConnections(TimePoint now);
  void Probe(ConnectionTable::Id id, const ConnectionTable::Connection& connection);
  void EndSilent(ConnectionTable::Id id, const ConnectionTable::Connection& connection);

  void OnConnection(CurlTransfer& transfer, int local_port) override;
  void OnBytes(CurlTransfer& transfer) override;
  void OnHead(bool http1) override { admission_.OnProtocol(http1); }
  void OnPaused(CurlTransfer& transfer) override;
  static curl_socket_t OpenSocket(void* for_transfer, curlsocktype, curl_sockaddr* address);
  static int CloseSocket(void* self, curl_socket_t socket_fd);

  const CurlTransportOptions options_;
  const Endpoint endpoint_;
  std::atomic<std::uint64_t> next_id_ = 1;
  std::atomic<std::size_t> active_ = 0;
  CommandQueue<Command> commands_;

  // Used by the I/O thread only, except for the counts of connections_ and for CurlMulti::Wake.
  ConnectionTable connections_;
  ConnectionHealth health_;
  FloodGuard guard_;
  Admission admission_;
  std::unique_ptr<CurlMulti> multi_;
  Transfers transfers_;                                // passed to libcurl
  std::deque<std::unique_ptr<CurlTransfer>> waiting_;  // not passed to libcurl yet

  OwnedThread thread_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_TRANSPORT_CURL_LOOP_H_
