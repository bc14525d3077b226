#include "test/chaos/ledger.h"

#include <algorithm>

namespace kinformer::chaos {
namespace {

std::string Text(const std::optional<State>& state) {
  return state ? state->uid + "@" + std::to_string(state->version) : "nothing";
}

}  // namespace

std::string NameLedger::Check(const std::optional<State>& on_server) const {
  if (!contradiction_.empty()) return contradiction_;
  if (!doubt_ && on_server != there_) {
    return "the server has " + Text(on_server) + " where " + Text(there_) + " was acknowledged";
  }
  // Whatever the outcome of the write in doubt, an acknowledged write must not be undone.
  if (on_server && on_server->version < newest_) {
    return "the server has " + Text(on_server) + " after version " + std::to_string(newest_) + " was acknowledged";
  }
  return "";
}

void NameLedger::Read(std::optional<State> there, std::uint64_t server_life) {
  if (contradiction_.empty()) contradiction_ = Check(there);
  there_ = std::move(there);
  if (there_) newest_ = std::max(newest_, there_->version);
  unresolved_ = false;
  if (doubt_ && server_life > *doubt_) doubt_.reset();
}

}  // namespace kinformer::chaos
