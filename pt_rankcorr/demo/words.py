"""The vocabulary of the demonstration collection: function words, everyday words, themes and invented names."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

STOPWORDS: tuple[str, ...] = tuple(
    "the of and to in a for that is on was by with as at from it be were an are which this has had have its not or but "
    "their they been who will more than one other into some when there after would about up out over also most".split()
)

EVERYDAY: tuple[str, ...] = tuple(
    """
    year people new time report government work country week group state number company world public plan month day
    official president part city home problem change system case area market study program service law power money
    member question point policy national local community small large early effect result decision meeting research
    issue process water office control level action need order support increase cost method party right history life
    hall school team interest land evidence field development region project trade industry union rule leader
    condition value price review release figure course line agency event paper record response family road rate share
    agreement statement view cause form measure source table practice term example concern future production role test
    letter press loss growth demand staff risk pressure benefit center experience attempt material approach outcome
    director charge security crisis opinion survey committee opportunity account minister capital network season visit
    northern southern eastern western recent final possible major former common annual modern private foreign central
    general original average similar significant serious traditional popular strong difficult successful announced
    expected reported suggested continued published increased described returned decided remained followed offered
    """.split()
)


class Theme(NamedTuple):
    """A subject: words of the whole subject, and the words of each of its aspects, frequent ones first."""

    core: tuple[str, ...]
    aspects: tuple[tuple[str, ...], ...]


_THEMES = """
volcano eruption volcanic crater geologist magma island
  lava flow molten basalt slope destroyed advancing
  ash cloud aviation airspace flights engines plume
  evacuation villages shelter alert residents warning relief
  fertile soil farming ancient buried ruins excavation

train railway station passenger rail track locomotive
  speed bullet maglev corridor kilometers aerodynamic express
  freight cargo container wagon logistics grain port
  signal collision derailment driver braking accident investigation
  steam heritage museum restoration volunteers carriage nostalgia

whale ocean marine sea species coast dolphin
  hunting harpoon moratorium quota whaling commission ships
  song acoustic sonar sound frequency navy communication
  stranded beach rescue tide carcass autopsy disoriented
  migration arctic calves breeding plankton feeding tagging

coffee bean plantation roast export harvest farmer
  rust fungus disease leaf spores resistant infected
  fair cooperative certification smallholder income ethical premium
  caffeine health heart sleep blood intake addiction
  espresso barista cafe milk flavor brewing grinder

bridge engineer construction steel span river structure
  collapse fatigue crack inspection corrosion bolts failure
  suspension cable tower wind oscillation deck anchor
  toll traffic congestion commuters lanes revenue ferry
  stone arch medieval roman masonry pilgrims mortar

bee insect honey hive colony beekeeper flower
  pesticide neonicotinoid toxic spraying exposure ban residue
  mite varroa parasite virus collapse brood treatment
  pollination orchard almond blossom crop rental bloom
  dance waggle navigation foraging memory behavior distance

hospital doctor patient medical nurse disease clinic
  vaccine measles immunization outbreak children refusal doses
  antibiotic bacteria resistant infection strain penicillin hygiene
  transplant kidney donor organ rejection surgery waiting
  insurance billing premium coverage uninsured hospitalization fees

election vote candidate ballot parliament campaign voter
  fraud recount irregularities observers tampering court petition
  poll margin sampling forecast undecided telephone respondents
  donation finance lobbying spending disclosure limits contributions
  turnout young registration compulsory abstention apathy suffrage

desert dry sand climate rainfall arid dune
  locust swarm famine pasture spraying insecticide invasion
  nomad camel caravan herders tribe oasis trading
  solar mirrors panels electricity turbine megawatts grid
  aquifer irrigation groundwater wells pumping depletion salinity

painting art artist museum gallery canvas portrait
  forgery fake expert signature pigment authenticity dealer
  theft stolen thieves recovered ransom guards frames
  restoration varnish cleaning fresco damaged solvent conservators
  auction bidding collector record hammer million estate

satellite space orbit rocket launch mission astronaut
  debris fragments collision tracking junk shield impact
  telescope galaxy infrared mirror dark distant astronomers
  mars rover landing dust methane martian drilling
  gravity bone muscle weightless crew exercise radiation

bank credit loan financial debt interest lender
  mortgage foreclosure housing homeowners default subprime repossession
  laundering cartel offshore secrecy accounts shell regulators
  microcredit women villages borrowers repayment poverty entrepreneurs
  inflation currency monetary reserve exchange deflation tightening

forest tree timber wood wildlife ranger woodland
  logging illegal mahogany permits smuggling indigenous clearing
  fire flames drought lightning firefighters smoke burned
  beetle bark infestation pine larvae dying outbreak
  carbon storage emissions offset biomass absorption greenhouse

football match club league coach player stadium
  hooligan violence police riot arrests supporters fences
  transfer contract fee salary agent signing wages
  injury knee concussion ligament surgery recovery headers
  referee penalty offside replay goal decision protest

language word linguist speaker grammar speech dialect
  endangered extinct elders revival recordings indigenous fluent
  bilingual children brain acquisition toddlers infants switching
  translation machine software automatic corpus neural subtitles
  script decipherment inscription tablet symbols clay undeciphered

wine grape vineyard cellar vintage bottle grower
  frost hail warming ripening temperature harvest drought
  counterfeit labels fake collectors auction cork provenance
  phylloxera rootstock aphid blight grafting vines devastated
  fermentation yeast sugar tannin sulfites acidity barrel

earthquake seismic fault tremor magnitude seismologist quake
  tsunami wave coastal buoy warning surge flooding
  prediction precursor radon animals foreshock forecast stress
  rubble rescue survivors trapped dogs tents aid
  retrofit concrete building codes shaking damping foundations

theater play stage actor audience drama performance
  censorship banned obscene playwright arrest license scandal
  puppet shadow masks wooden strings marionette apprentice
  opera soprano tenor conductor orchestra aria rehearsal
  subsidy ticket budget deficit sponsors closure funding

glacier ice mountain snow climate polar frozen
  melting retreat thinning runoff warming shrinking satellite
  core bubbles ancient drilling isotopes layers atmosphere
  avalanche skiers slope buried beacon resort transceiver
  climbing summit oxygen sherpa expedition altitude ropes

computer software machine data network program digital
  hacker password breach stolen encryption malware attack
  chess grandmaster engine opening tournament algorithm defeat
  privacy surveillance tracking cookies consent advertising profiles
  chip semiconductor silicon wafer transistor shortage foundry

prison inmate sentence court jail judge criminal
  parole release recidivism supervision rehabilitation offenders probation
  overcrowding cells riot sanitation hunger guards capacity
  wrongful conviction dna exonerated innocence testimony appeal
  juvenile teenage detention offenders boot curfew counseling

fish fishing fishermen sea boat catch fishery
  salmon farmed cages lice escape hatchery pellets
  cod quota overfishing stocks moratorium trawler decline
  coral reef bleaching algae warming snorkelers acidification
  dam ladder river spawning upstream turbines migration

education school teacher pupil student classroom university
  reading phonics literacy dyslexia spelling letters tutoring
  tuition scholarship loans fees enrollment debt graduates
  bullying victims counseling harassment playground suspension taunts
  chalk multilingual rural girls uniforms dropout villages

airline airport aircraft flight pilot aviation passenger
  hijack terrorist cockpit hostages weapons screening bomb
  noise runway residents curfew expansion nighttime decibels
  strike union pilots cancelled wages walkout negotiations
  bird geese engine ingestion radar feathers emergency

cat dog pet animal veterinarian owner breed
  rabies bite virus stray vaccination foxes saliva
  wolf livestock sheep reintroduction ranchers packs predator
  guide blind training harness puppies disabled companion
  genetic pedigree inbreeding hips kennel deafness pug
"""

_ONSETS = "b br d dr f g gr h k kr l m n p r s st t v z".split()
_MIDDLES = "al an ar el en er il in or ul".split()
_ENDINGS = "ado ang ari bury ek eth ian ova sen vik".split()


def _theme(block: str) -> Theme:
    core, *aspects = (tuple(line.split()) for line in block.splitlines())
    return Theme(core, tuple(aspects))


THEMES: tuple[Theme, ...] = tuple(_theme(block) for block in _THEMES.strip().split("\n\n"))

# Names of people and places: the long tail of the vocabulary, which no word list can have.
NAMES: tuple[str, ...] = tuple("".join(parts) for parts in product(_ONSETS, _MIDDLES, _ENDINGS))
