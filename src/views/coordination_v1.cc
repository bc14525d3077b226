#include <kinformer/views/coordination_v1.h>

#include "src/views/read.h"

namespace kinformer::coordination::v1 {

using internal::Text;
using internal::Time;

std::string Lease::HolderIdentity() const { return Text(At("/spec/holderIdentity")); }
std::optional<std::int64_t> Lease::LeaseDurationSeconds() const { return At("/spec/leaseDurationSeconds").AsInt(); }
std::optional<Timestamp> Lease::AcquireTime() const { return Time(At("/spec/acquireTime")); }
std::optional<Timestamp> Lease::RenewTime() const { return Time(At("/spec/renewTime")); }
std::int64_t Lease::LeaseTransitions() const { return At("/spec/leaseTransitions").IntOr(0); }

}  // namespace kinformer::coordination::v1
