import { entries } from '../random/entries.ts';

export const METHODS = entries(`
  A comparative study; A scalable model; Rapid measurement; Bayesian estimation; In situ observation; A benchmark;
  Mechanistic analysis; Long-term monitoring; Uncertainty quantification; A reproducible pipeline;
  Automated discovery; A critical assessment`);

export const SETTINGS = entries(`
  under thermal stress; with sparse labels; across five sites; at low temperature; in noisy data; under high load;
  from open archives; with limited samples; in changing climates; at the nanoscale; over two decades;
  beyond the laboratory; for routine use; with calibrated errors`);

export const QUALIFIERS = entries(`
  robust; efficient; interpretable; multiscale; adaptive; low-cost; hierarchical; data-driven; physics-informed;
  stable; portable; seasonal`);

export const GIVEN = entries(`
  Amara; Bruno; Chiara; Dmitri; Elena; Farid; Greta; Hiro; Ines; Jonas; Keiko; Liam; Mateo; Nadia; Oskar; Priya;
  Quentin; Rosa; Sanjay; Tove; Umar; Vera; Wen; Yara`);

export const FAMILY = entries(`
  Abara; Bergström; Castillo; Dubois; Eriksen; Ferrari; Gupta; Haddad; Ivanova; Jansen; Kimura; Lindqvist; Müller;
  Novák; Okafor; Pereira; Quiroga; Rossi; Sato; Tanaka; Ueda; Villanueva; Wójcik; Xu; Yılmaz; Zhang`);

export const PLACES = entries(`
  Alder; Birch; Cedar; Dover; Elm; Fjord; Grove; Harbor; Iris; Juniper; Kestrel; Lagoon; Maple; Northgate; Orchard;
  Pinewood; Quarry; Ridge; Sorrel; Tidewater; Umber; Vale; Willow; Yarrow; Zephyr; Aspen; Basalt; Cobalt; Delta;
  Estuary; Flint; Granite; Heath; Islet; Jade; Karst; Larch; Meadow; Nimbus; Onyx`);

export const COUNTRIES = entries('SE; BR; JP; DE; NG; IN; US; FR; PL; TR; MX; NZ');
