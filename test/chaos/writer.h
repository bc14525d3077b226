#ifndef KINFORMER_TEST_CHAOS_WRITER_H_
#define KINFORMER_TEST_CHAOS_WRITER_H_

// In:     a client that connects directly to the server, not through the proxy
// Out:    objects that are created, updated, deleted and recreated; a record of what was acknowledged
// Thread: its own
// Next:   chaos_run.cc

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <kinformer/client/client.h>

#include "test/chaos/ledger.h"
#include "test/chaos/plan.h"
#include "test/chaos/violations.h"

namespace kinformer::chaos {

struct WriterOptions {
  std::string name{};
  std::vector<std::string> namespaces{};
  std::uint64_t seed = 0;
  std::size_t names_per_namespace = 15;
};

/// Writes to its own object names until stopped.
class Writer {
 public:
  /// `server_life` must increase when a server process has ended.
  Writer(WriterOptions options, const Client& client, const std::atomic<std::uint64_t>& server_life,
         Violations& violations, Figures& figures);
  ~Writer() = default;

  void Start();
  /// Stops writing and resolves the outcome of every write as far as possible. The server must be up.
  void StopAndResolve();

  // Valid after StopAndResolve.
  const std::map<std::string, NameLedger>& names() const { return names_; }
  /// The versions of acknowledged creations and updates in that namespace.
  const std::vector<std::uint64_t>& VersionsIn(const std::string& namespace_name) { return versions_[namespace_name]; }

 private:
  struct Target {
    std::string namespace_name;
    std::string name;
    NameLedger* ledger;
  };

  void Run(const std::stop_token& stop);
  void WriteOnce(const Target& target);
  void Create(const Target& target);
  void Update(const Target& target);
  void Delete(const Target& target);
  /// False if the server did not answer.
  bool Resolve(const Target& target);
  void Stored(const Target& target, const Result<ObjectPtr>& answer, const char* verb);
  void Failed(const Target& target, const Error& error, const char* verb);
  ObjectPtr NextContent(const Target& target, const std::optional<State>& base);

  const WriterOptions options_;
  const ResourceClient client_;
  const std::atomic<std::uint64_t>& server_life_;
  Violations& violations_;
  Figures& figures_;
  Dice dice_;
  std::uint64_t sequence_ = 0;
  std::map<std::string, NameLedger> names_;
  std::vector<Target> targets_;
  std::map<std::string, std::vector<std::uint64_t>> versions_;
  std::jthread thread_;
};

}  // namespace kinformer::chaos

#endif  // KINFORMER_TEST_CHAOS_WRITER_H_
