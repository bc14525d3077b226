#include "src/transport/connection_table.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

namespace kinformer::internal {
namespace {

constexpr std::size_t kMaxRecentlyLost = 16;

int LocalPort(int socket_fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(socket_fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  if (address.ss_family == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
  if (address.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port);
  return 0;
}

}  // namespace

ConnectionTable::Id ConnectionTable::Open(int socket) {
  const Id id = next_id_++;
  connections_.emplace(id, Connection{.socket = socket});
  opened_.fetch_add(1);
  open_.fetch_add(1);
  return id;
}

ConnectionTable::Id ConnectionTable::Close(int socket) {
  const auto it = std::find_if(connections_.begin(), connections_.end(),
                               [&](const auto& entry) { return entry.second.socket == socket; });
  if (it == connections_.end()) return 0;
  const Id id = it->first;
  if (it->second.lost) {
    if (recently_lost_.size() >= kMaxRecentlyLost) recently_lost_.erase(recently_lost_.begin());
    recently_lost_.emplace(id, *std::move(it->second.lost));
  }
  connections_.erase(it);
  open_.fetch_sub(1);
  return id;
}

const ConnectionTable::Connection* ConnectionTable::Find(Id id) const {
  const auto it = connections_.find(id);
  return it == connections_.end() ? nullptr : &it->second;
}

ConnectionTable::Id ConnectionTable::FindByLocalPort(int port) const {
  const auto it = std::find_if(connections_.begin(), connections_.end(),
                               [&](const auto& entry) { return LocalPort(entry.second.socket) == port; });
  return it == connections_.end() ? 0 : it->first;
}

bool ConnectionTable::Use(Id id, TlsMaterialPtr tls) {
  const auto it = connections_.find(id);
  if (it == connections_.end()) return false;
  it->second.tls = std::move(tls);
  return !std::exchange(it->second.used, true);
}

bool ConnectionTable::IsUsedWith(const TlsMaterialPtr& tls) const {
  return std::any_of(connections_.begin(), connections_.end(),
                     [&](const auto& entry) { return entry.second.used && entry.second.tls == tls; });
}

void ConnectionTable::SetLost(Id id, Error why) {
  const auto it = connections_.find(id);
  if (it != connections_.end()) it->second.lost = std::move(why);
}

std::optional<Error> ConnectionTable::LostError(Id id) const {
  if (const Connection* connection = Find(id)) return connection->lost;
  const auto it = recently_lost_.find(id);
  return it == recently_lost_.end() ? std::nullopt : std::optional(it->second);
}

}  // namespace kinformer::internal
