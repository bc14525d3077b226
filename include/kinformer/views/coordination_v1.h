#ifndef KINFORMER_VIEWS_COORDINATION_V1_H_
#define KINFORMER_VIEWS_COORDINATION_V1_H_

#include <cstdint>
#include <optional>
#include <string>

#include <kinformer/meta/kind_info.h>
#include <kinformer/meta/time.h>
#include <kinformer/views/view.h>

namespace kinformer::coordination::v1 {

class Lease : public View<Lease> {
 public:
  using View::View;
  static constexpr KindInfo kInfo{"coordination.k8s.io", "v1", "Lease", "leases"};

  std::string HolderIdentity() const;  ///< "" if there is no holder.
  std::optional<std::int64_t> LeaseDurationSeconds() const;
  std::optional<Timestamp> AcquireTime() const;
  std::optional<Timestamp> RenewTime() const;
  std::int64_t LeaseTransitions() const;  ///< How often the holder changed. 0 if absent.
};

}  // namespace kinformer::coordination::v1

#endif  // KINFORMER_VIEWS_COORDINATION_V1_H_
