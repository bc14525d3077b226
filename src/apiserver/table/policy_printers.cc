#include <string>

#include "src/apiserver/table/cell_text.h"
#include "src/apiserver/table/kind_printers.h"

namespace kinformer::apiserver {
namespace {

constexpr Column kBudgetColumns[] = {
    kNameColumn,
    {.name = "Min Available", .description = "Fewest pods that must be left"},
    {.name = "Max Unavailable", .description = "Most pods that may be missing"},
    {.name = "Allowed Disruptions", .type = "integer", .description = "Pods that may be evicted now"},
    kAgeColumn,
};
constexpr Column kBindingColumns[] = {
    kNameColumn,
    {.name = "Role", .description = "Role that is given"},
    kAgeColumn,
    {.name = "Users", .priority = 1, .description = "Users that have it"},
    {.name = "Groups", .priority = 1, .description = "Groups that have it"},
    {.name = "ServiceAccounts", .priority = 1, .description = "Service accounts that have it"},
};
constexpr Column kLeaseColumns[] = {kNameColumn, {.name = "Holder", .description = "Who holds the lease"}, kAgeColumn};
constexpr Column kStorageClassColumns[] = {
    kNameColumn,
    {.name = "Provisioner", .description = "Who makes the volumes"},
    {.name = "ReclaimPolicy", .description = "What becomes of volumes whose claim is gone"},
    {.name = "VolumeBindingMode", .description = "When volumes are made and bound"},
    {.name = "AllowVolumeExpansion", .description = "Whether volumes may grow"},
    kAgeColumn,
};
constexpr Column kPriorityClassColumns[] = {
    kNameColumn,
    {.name = "Value", .type = "integer", .description = "The priority"},
    {.name = "Global-Default", .type = "boolean", .description = "Whether pods without a class are of this one"},
    kAgeColumn,
    {.name = "PreemptionPolicy", .description = "Whether pods of lower priority make room"},
};
constexpr Column kRuntimeClassColumns[] = {
    kNameColumn, {.name = "Handler", .description = "What runs the containers"}, kAgeColumn};

void PrintBudget(const Object& budget, Timestamp now, Cells& cells) {
  cells.Text(budget.Name());
  cells.TextOr(TextOf(budget.At("/spec/minAvailable")), "N/A");
  cells.TextOr(TextOf(budget.At("/spec/maxUnavailable")), "N/A");
  cells.Int(budget.At("/status/disruptionsAllowed").IntOr(0));
  cells.Text(Age(budget, now));
}

void PrintBinding(const Object& binding, Timestamp now, Cells& cells) {
  std::vector<std::string> users;
  std::vector<std::string> groups;
  std::vector<std::string> accounts;
  for (const Value& subject : binding.At("/subjects").Elements()) {
    const std::string kind = subject.At("/kind").StringOr("");
    const std::string name = subject.At("/name").StringOr("");
    if (kind == "User") users.push_back(name);
    if (kind == "Group") groups.push_back(name);
    if (kind == "ServiceAccount") accounts.push_back(subject.At("/namespace").StringOr("") + "/" + name);
  }
  const Value role = binding.At("/roleRef");
  cells.Text(binding.Name());
  cells.Text(role.At("/kind").StringOr("") + "/" + role.At("/name").StringOr(""));
  cells.Text(Age(binding, now));
  cells.Text(Joined(users, ", "));
  cells.Text(Joined(groups, ", "));
  cells.Text(Joined(accounts, ", "));
}

void PrintLease(const Object& lease, Timestamp now, Cells& cells) {
  cells.Text(lease.Name());
  cells.Text(lease.At("/spec/holderIdentity").StringOr(""));
  cells.Text(Age(lease, now));
}

void PrintStorageClass(const Object& storage, Timestamp now, Cells& cells) {
  std::string name(storage.Name());
  for (const char* annotation :
       {"storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"}) {
    if (storage.Annotations().Find(annotation) != "true") continue;
    name += " (default)";
    break;
  }
  cells.Text(name);
  cells.Text(storage.At("/provisioner").StringOr(""));
  cells.Text(storage.At("/reclaimPolicy").StringOr("Delete"));
  cells.Text(storage.At("/volumeBindingMode").StringOr("Immediate"));
  cells.Bool(storage.At("/allowVolumeExpansion").BoolOr(false));
  cells.Text(Age(storage, now));
}

void PrintPriorityClass(const Object& priority, Timestamp now, Cells& cells) {
  cells.Text(priority.Name());
  cells.Int(priority.At("/value").IntOr(0));
  cells.Bool(priority.At("/globalDefault").BoolOr(false));
  cells.Text(Age(priority, now));
  cells.Text(priority.At("/preemptionPolicy").StringOr(""));
}

void PrintRuntimeClass(const Object& runtime, Timestamp now, Cells& cells) {
  cells.Text(runtime.Name());
  cells.Text(runtime.At("/handler").StringOr(""));
  cells.Text(Age(runtime, now));
}

constexpr KindPrinter kPrinters[] = {
    {"policy", "PodDisruptionBudget", kBudgetColumns, PrintBudget},
    {"rbac.authorization.k8s.io", "RoleBinding", kBindingColumns, PrintBinding},
    {"rbac.authorization.k8s.io", "ClusterRoleBinding", kBindingColumns, PrintBinding},
    {"coordination.k8s.io", "Lease", kLeaseColumns, PrintLease},
    {"storage.k8s.io", "StorageClass", kStorageClassColumns, PrintStorageClass},
    {"scheduling.k8s.io", "PriorityClass", kPriorityClassColumns, PrintPriorityClass},
    {"node.k8s.io", "RuntimeClass", kRuntimeClassColumns, PrintRuntimeClass},
};

}  // namespace

std::span<const KindPrinter> PolicyPrinters() { return kPrinters; }

}  // namespace kinformer::apiserver
