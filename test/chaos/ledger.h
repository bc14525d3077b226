#ifndef KINFORMER_TEST_CHAOS_LEDGER_H_
#define KINFORMER_TEST_CHAOS_LEDGER_H_

// In:     a writer's operations on its own object names, and the server's responses
// Out:    what the server must hold under those names
// Thread: none; each ledger belongs to one writer
// Next:   writer.h

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "test/chaos/witness.h"

namespace kinformer::chaos {

/// The known state of one object name. Only one writer writes to it, so an acknowledged write holds until the next.
///
/// A write without a response (broken connection, 5xx) is in doubt: it may have been applied, or may still be, as long
/// as the server process that received it lives. Until then, a read is only a snapshot; once that process is gone, a
/// read is authoritative again.
class NameLedger {
 public:
  /// nullopt: a deletion was acknowledged.
  void Acknowledged(std::optional<State> there) {
    there_ = std::move(there);
    if (there_) newest_ = there_->version;
    ++acknowledged_;
  }
  /// `server_life`: increases with each server process.
  void Unanswered(std::uint64_t server_life) {
    doubt_ = server_life;
    unresolved_ = true;
  }
  /// The result of a consistent read that began during that server life.
  void Read(std::optional<State> there, std::uint64_t server_life);

  /// Whether the current state is known, at least as a snapshot, so that the next write can build on it.
  bool Resolved() const { return !unresolved_; }
  const std::optional<State>& there() const { return there_; }
  /// Whether a write without a response may still take effect.
  bool InDoubt() const { return doubt_.has_value(); }

  /// "" if the server's state is consistent with the ledger, else a description.
  std::string Check(const std::optional<State>& on_server) const;

 private:
  std::optional<State> there_;
  std::uint64_t newest_ = 0;
  std::uint64_t acknowledged_ = 0;
  bool unresolved_ = false;
  std::optional<std::uint64_t> doubt_;
  /// Set by a read that contradicts the acknowledged state.
  std::string contradiction_;
};

}  // namespace kinformer::chaos

#endif  // KINFORMER_TEST_CHAOS_LEDGER_H_
