#ifndef KINFORMER_TEST_CHAOS_WRITER_H_
#define KINFORMER_TEST_CHAOS_WRITER_H_

// In:     a client of the server itself, without a proxy between
// Out:    objects that are created, updated, deleted and created again; what was acknowledged
// Thread: one of its own
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

/// Writes to names that are its own until it is stopped.
class Writer {
 public:
  /// `server_life` grows when a process of the server has ended.
  Writer(WriterOptions options, const Client& client, const std::atomic<std::uint64_t>& server_life,
         Violations& violations, Figures& figures);
  ~Writer() = default;

  void Start();
  /// Returns when the outcome of every write is known, as far as it can be. The server must be there.
  void StopAndResolve();

  // After StopAndResolve.
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
  /// False: no answer.
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
