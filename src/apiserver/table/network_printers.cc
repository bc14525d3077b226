#include <set>
#include <string>

#include "src/apiserver/table/cell_printers.h"
#include "src/apiserver/table/cell_text.h"
#include "src/base/text.h"

namespace kinformer::apiserver {
namespace {

/// "a,b,c + 2 more...": `shown`, and how many of `count` are left.
std::string WithMore(const std::vector<std::string>& shown, std::size_t count) {
  std::string text = internal::Joined(shown, ",");
  if (count > shown.size()) text += " + " + std::to_string(count - shown.size()) + " more...";
  return text;
}

constexpr std::size_t kMostShown = 3;

std::string BalancerAddresses(const Value& ingresses) {
  std::set<std::string> addresses;
  for (const Value& ingress : ingresses.Elements()) {
    std::string address = ingress.At("/ip").StringOr("");
    if (address.empty()) address = ingress.At("/hostname").StringOr("");
    if (!address.empty()) addresses.insert(std::move(address));
  }
  return internal::Joined({addresses.begin(), addresses.end()}, ",");
}

std::string ExternalAddresses(const Object& service) {
  const std::string type = service.At("/spec/type").StringOr("ClusterIP");
  const std::string given = internal::Joined(Strings(service.At("/spec/externalIPs")), ",");
  if (type == "ClusterIP" || type == "NodePort") return given.empty() ? "<none>" : given;
  if (type == "ExternalName") return service.At("/spec/externalName").StringOr("");
  if (type != "LoadBalancer") return "<unknown>";
  const std::string balanced = BalancerAddresses(service.At("/status/loadBalancer/ingress"));
  if (balanced.empty() && given.empty()) return "<pending>";
  return balanced + (balanced.empty() || given.empty() ? "" : ",") + given;
}

void PrintClusterIp(Row& row, const Value& /*value*/, Cells& cells) {
  std::string address = row.object().At("/spec/clusterIPs/0").StringOr("");
  if (address.empty()) address = row.object().At("/spec/clusterIP").StringOr("");
  cells.TextOr(address, "<none>");
}

void PrintExternalIp(Row& row, const Value& /*value*/, Cells& cells) { cells.Text(ExternalAddresses(row.object())); }

void PrintServicePorts(Row& /*row*/, const Value& value, Cells& cells) {
  std::vector<std::string> parts;
  for (const Value& port : value.Elements()) {
    const std::int64_t node_port = port.At("/nodePort").IntOr(0);
    parts.push_back(std::to_string(port.At("/port").IntOr(0)) + (node_port > 0 ? ":" + std::to_string(node_port) : "") +
                    "/" + port.At("/protocol").StringOr("TCP"));
  }
  cells.TextOr(internal::Joined(parts, ","), "<none>");
}

void PrintBalancerAddresses(Row& /*row*/, const Value& value, Cells& cells) { cells.Text(BalancerAddresses(value)); }

void PrintSubsets(Row& /*row*/, const Value& value, Cells& cells) {
  std::vector<std::string> shown;
  std::size_t count = 0;
  const std::vector<Value> subsets = value.Elements();
  if (subsets.empty()) return cells.Text("<none>");
  for (const Value& subset : subsets) {
    const std::vector<Value> addresses = subset.At("/addresses").Elements();
    const auto add = [&](const std::string& port) {
      count += addresses.size();
      for (const Value& address : addresses) {
        if (shown.size() == kMostShown) return;
        const std::string ip = address.At("/ip").StringOr("");
        const bool brackets = !port.empty() && ip.find(':') != std::string::npos;
        shown.push_back(brackets ? "[" + ip + "]" + port : ip + port);
      }
    };
    const std::vector<Value> ports = subset.At("/ports").Elements();
    if (ports.empty()) add("");
    for (const Value& port : ports) add(":" + std::to_string(port.At("/port").IntOr(0)));
  }
  cells.Text(WithMore(shown, count));
}

void PrintSlicePorts(Row& /*row*/, const Value& value, Cells& cells) {
  std::vector<std::string> shown;
  const std::vector<Value> ports = value.Elements();
  for (const Value& port : ports) {
    if (shown.size() == kMostShown) break;
    const auto number = port.At("/port").AsInt();
    shown.push_back(number ? std::to_string(*number) : port.At("/name").StringOr("*"));
  }
  cells.TextOr(WithMore(shown, ports.size()), "<unset>");
}

void PrintSliceAddresses(Row& /*row*/, const Value& value, Cells& cells) {
  std::vector<std::string> shown;
  std::size_t count = 0;
  for (const Value& endpoint : value.Elements()) {
    for (std::string& address : Strings(endpoint.At("/addresses"))) {
      if (shown.size() < kMostShown) shown.push_back(std::move(address));
      ++count;
    }
  }
  cells.TextOr(WithMore(shown, count), "<unset>");
}

void PrintIngressHosts(Row& /*row*/, const Value& value, Cells& cells) {
  std::vector<std::string> shown;
  bool more = false;
  const std::vector<Value> rules = value.Elements();
  for (const Value& rule : rules) {
    more = more || shown.size() == kMostShown;
    std::string host = rule.At("/host").StringOr("");
    if (!more && !host.empty()) shown.push_back(std::move(host));
  }
  if (shown.empty()) return cells.Text("*");
  cells.Text(WithMore(shown, more ? rules.size() : shown.size()));
}

void PrintIngressPorts(Row& /*row*/, const Value& value, Cells& cells) {
  cells.Text(value.Size() > 0 ? "80, 443" : "80");
}

void PrintIngressClassName(Row& row, const Value& /*value*/, Cells& cells) {
  std::string name(row.object().Name());
  if (row.object().Annotations().Find("ingressclass.kubernetes.io/is-default-class") == "true") name += " (default)";
  cells.Text(name);
}

void PrintParameters(Row& /*row*/, const Value& value, Cells& cells) {
  std::string text = value.At("/kind").StringOr("");
  if (const auto group = value.At("/apiGroup").AsString()) text += "." + *group;
  cells.Text(text + "/" + value.At("/name").StringOr(""));
}

constexpr CellPrinter kNetworkCellPrinters[] = {
    {"serviceClusterIP", PrintClusterIp},        {"serviceExternalIP", PrintExternalIp},
    {"servicePorts", PrintServicePorts},         {"balancerAddresses", PrintBalancerAddresses},
    {"endpointSubsets", PrintSubsets},           {"slicePorts", PrintSlicePorts},
    {"sliceAddresses", PrintSliceAddresses},     {"ingressHosts", PrintIngressHosts},
    {"ingressPorts", PrintIngressPorts},         {"ingressClassName", PrintIngressClassName},
    {"ingressClassParameters", PrintParameters},
};

}  // namespace

std::span<const CellPrinter> NetworkPrinters() { return kNetworkCellPrinters; }

}  // namespace kinformer::apiserver
