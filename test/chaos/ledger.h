#ifndef KINFORMER_TEST_CHAOS_LEDGER_H_
#define KINFORMER_TEST_CHAOS_LEDGER_H_

// In:     what a writer did to the names that are its own, and what the server answered
// Out:    what the server must have of them
// Thread: none; a writer's own
// Next:   writer.h

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "test/chaos/witness.h"

namespace kinformer::chaos {

/// What is known of one name. Only its writer writes to it, so that an acknowledged write is the truth until the next.
///
/// A write without an answer (a broken connection, a 5xx) may have happened, may not, or may still happen as long as
/// the server process lives that got it: what is read afterwards is then true only for the moment. With that process
/// gone, what is read counts again.
class NameLedger {
 public:
  /// `there`: nullopt for a deletion.
  void Acknowledged(std::optional<State> there) {
    there_ = std::move(there);
    if (there_) newest_ = there_->version;
    ++acknowledged_;
  }
  /// `server_life`: a number that grows with each process of the server.
  void Unanswered(std::uint64_t server_life) {
    doubt_ = server_life;
    unresolved_ = true;
  }
  /// What the server said to a consistent read that began in that life of the server.
  void Read(std::optional<State> there, std::uint64_t server_life);

  /// The present state may be written on: what is there is known, at least for the moment.
  bool Resolved() const { return !unresolved_; }
  const std::optional<State>& there() const { return there_; }
  /// A write may still happen that nobody waits for.
  bool InDoubt() const { return doubt_.has_value(); }

  /// "" or what is wrong with the server's state.
  std::string Check(const std::optional<State>& on_server) const;

 private:
  std::optional<State> there_;
  std::uint64_t newest_ = 0;
  std::uint64_t acknowledged_ = 0;
  bool unresolved_ = false;
  std::optional<std::uint64_t> doubt_;
  /// A read that contradicts what was acknowledged.
  std::string contradiction_;
};

}  // namespace kinformer::chaos

#endif  // KINFORMER_TEST_CHAOS_LEDGER_H_
