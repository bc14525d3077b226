#include <string>

#include "src/apiserver/table/cell_printers.h"
#include "src/apiserver/table/cell_text.h"
#include "src/base/text.h"

namespace kinformer::apiserver {
namespace {

std::vector<std::string> SubjectsOf(const Value& subjects, std::string_view kind) {
  std::vector<std::string> names;
  for (const Value& subject : subjects.Elements()) {
    if (subject.At("/kind").AsString() != kind) continue;
    const std::string name = subject.At("/name").StringOr("");
    names.push_back(kind == "ServiceAccount" ? subject.At("/namespace").StringOr("") + "/" + name : name);
  }
  return names;
}

void PrintUsers(Row& /*row*/, const Value& value, Cells& cells) {
  cells.Text(internal::Joined(SubjectsOf(value, "User"), ", "));
}

void PrintGroups(Row& /*row*/, const Value& value, Cells& cells) {
  cells.Text(internal::Joined(SubjectsOf(value, "Group"), ", "));
}

void PrintServiceAccounts(Row& /*row*/, const Value& value, Cells& cells) {
  cells.Text(internal::Joined(SubjectsOf(value, "ServiceAccount"), ", "));
}

void PrintStorageClassName(Row& row, const Value& /*value*/, Cells& cells) {
  std::string name(row.object().Name());
  for (const char* annotation :
       {"storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"}) {
    if (row.object().Annotations().Find(annotation) != "true") continue;
    name += " (default)";
    break;
  }
  cells.Text(name);
}

constexpr CellPrinter kPolicyCellPrinters[] = {
    {"userSubjects", PrintUsers},
    {"groupSubjects", PrintGroups},
    {"serviceAccountSubjects", PrintServiceAccounts},
    {"storageClassName", PrintStorageClassName},
};

}  // namespace

std::span<const CellPrinter> PolicyPrinters() { return kPolicyCellPrinters; }

}  // namespace kinformer::apiserver
